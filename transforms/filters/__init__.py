"""The filters F1 to F8 (design 3.7), one a file, cheapest first. Each stores its verdict on the question it keeps."""
