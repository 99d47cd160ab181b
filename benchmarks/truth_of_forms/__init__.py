"""An executor of forms over truth.jsonl: it shares no code with the certificate that it judges."""
