"""Prefixes of links to other wikis: the language codes of the Wikipedias (Meta's `sites` table,
April 2024), and the prefixes of the sister projects."""

INTERWIKI_PREFIXES = frozenset(
    """
aa ab ace ady af ak als alt am ami an ang anp ar arc ary arz as ast atj av avk awa ay az azb b ba ban bar bat-smg bbc bcl be
be-tarask be-x-old bg bh bi bjn blk bm bn bo bpy br bs bug bxr c ca cbk-zam cdo ce ceb ch cho chr chy ckb cmn co commons cr crh cs
csb cu cv cy cz d da dag de dga din diq dk doi dsb dty dv dz ee el eml en eo es et eu ext f fa fat ff fi fiu-vro fj fo fon
foundation fr frp frr fur fy ga gag gan gcr gd gl glk gn gom gor got gpe gsw gu guc gur guw gv ha hak haw he hi hif ho hr hsb ht
hu hy hyw hz ia iarchive id ie ig ii ik ilo imdbname incubator inh io is it iu ja jam jbo jp jv ka kaa kab kbd kbp kcg kg ki kj kk
kl km kn ko koi kr krc ks ksh ku kv kw ky la lad lb lbe lez lfn lg li lij lld lmo ln lo lrc lt ltg lv lzh m mad mai map-bms mdf
mediawikiwiki meta mg mh mhr mi min minnan mk ml mn mni mnw mo mr mrj ms mt mus mw mwl my myv mzn n na nah nan nap nb nds nds-nl
ne new ng nia nl nn no nov nqo nrm nso nv ny oc olo om or os pa pag pam pap pcd pcm pdc pfl phab phabricator pi pih pl pms pnb pnt
ps pt pwn q qu rm rmy rn ro roa-rup roa-tara ru rue rup rw s sa sah sat sc scn sco sd se sg sgs sh shi shn si simple sk skr sl sm
smn sn so species sq sr srn ss st stq su sv sw szl szy ta tay tcy te tet tg th ti tk tl tly tn to toollabs tpi tr trv ts tt tum tw
ty tyv udm ug uk ur uz v ve vec vep vi vls vo voy vro w wa war wikibooks wikidata wikimedia wikinews wikiquote wikisource
wikispecies wikiversity wikivoyage wikt wiktionary wmf wo wuu xal xh xmf yi yo yue za zea zgh zh zh-classical zh-cn zh-min-nan
zh-tw zh-yue zu
""".split()
)
