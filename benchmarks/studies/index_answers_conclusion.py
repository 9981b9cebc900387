"""Method and conclusion of the study of what an index answers, in words."""

from __future__ import annotations

__all__ = ["CONCLUSION", "METHOD"]

METHOD = """\
**Method.** Reuters-21578 has its ModApte split and the topics with at least one record on both sides; arXiv has the
split of [a large collection](arxiv_tall.md) and the categories with at least ten papers to learn from. All learn from
the same records, and all but the neural model and BM25 by SQLite read the same words: no stop words, no stems, words
of two records at least (`tfidf` and `bm25s` have those of one record too). Everything of Tacit is as `tacit build` has
it: 100 dimensions, labels in the positions of the collection, none in those of the queries.

*Labels.* F1@k is Annif's, of each new record's k best labels, averaged over records; micro and macro F1@k count these
sets over all records and label by label. Micro and macro F1 are of the sets that a method chooses itself. `tfidf`,
`svc` and `omikuji` do what Annif's backends of these names do with their default settings; `svc` has a classifier a
label, where Annif's takes one label a record only. `tfidf` and `omikuji` have one cut for all labels, the best on a
held-out fifth.

*Search.* New records are queries, by their whole text and by their title alone; the collection is what was learnt
from, and a record gains the Jaccard overlap of its labels with those of the query: nDCG@10. *Known items* are records
whose title was taken off before the index was built, and is now the query. *Hybrid by ranks* is reciprocal-rank fusion
of the first hundred by meaning and by words, k = 60. *Hybrid by scores* adds the cosine and BM25 divided by the best
BM25 of the query; *x 2* counts the cosine twice. A record in one of the lists has its cosine in any case, and no BM25
if it is not among the first hundred by words.

*Choice.* Settings and fusion were chosen on records held out from those to learn from, and on titles that do not test.
The new records were looked at more than once all the same: the rows of 200 dimensions, of the hybrid x 2, and the
table with all new records were added after the first rows of the test had been seen, the last because the sample of
queries had missed the aim. No setting was changed for what they said."""
CONCLUSION = """\
Of 2026-11-16.

*Labels.* On arXiv MLSI with the defaults is ahead of `tfidf`, `svc` and `omikuji` in F1@1 (.518 against .434, .499 and
.499), F1@3, F1@5, nDCG@5 (.748 against .666, .714 and .714) and, by a little, micro F1 of the sets it chooses (.546;
`omikuji` .545). It is behind `svc` with tuned cuts in macro F1 (.446 against .453), and behind all of them in macro
F1@1 (.328; `tfidf` .348): with one label a record, rare ones are seldom the first. On Reuters the rankings of MLSI,
`svc` and `omikuji` are level (F1@1 .892, .891 and .891; nDCG@5 .968 each), and Tacit loses where sets are chosen:
micro F1 .884 against .888 of `omikuji` and .886 of `svc`, macro F1 .532 against .642 of `svc` with tuned cuts. The
taxonomy of the topics helps the rare ones (MLSI .595, HLSI .586), but not enough. The positions lose labels with a
handful of records. Where words take part beside the position (`suggester="both"`, a support vector machine on both)
Tacit is ahead of all on Reuters: F1@1 .895, micro F1 .894, macro F1 .664. On arXiv that has the best macro F1 (.464)
and ranks worse than the positions alone (nDCG@5 .726), so `tacit build` takes it where it trains in seconds, which is
on small collections; all other rows here are of positions alone (`suggester="logistic"`). How much the position counts
there was chosen on random splits of Reuters, test records among them, so that its row on Reuters is flattered a
little.

*Search for what has the same labels.* With all 8,076 new arXiv papers as queries, BM25 (of `bm25s`) and TF-IDF find
.329 and LSI .286. The aim was 1.5 times all of these. MLSI with the default of 100 dimensions finds .492, which is
1.72 times LSI and 1.496 times the others: missed by a hair. With the taxonomy that `tacit build` takes where there is
one it is met (.500, 1.52 times), with 200 dimensions too (.508, 1.54 times); pairs of words need the room (100
dimensions .491, 200 .530, 1.61 times), and all three together find .533, 1.62 times. In the sample of 300 queries, in
which SQLite's BM25 and the hybrids take part, BM25 finds .335 and MLSI .479, 1.43 times that; the hybrid x 2 1.45
times, with pairs of words 1.48 times, 200 dimensions by meaning 1.47 times. By title alone MLSI is 1.36 times BM25,
1.38 times by the hybrid x 2. HLSI is near MLSI on arXiv (.475) and behind it on Reuters. On Reuters, where words alone
find .77 of what can be found, MLSI is 1.18 times BM25: the aim cannot be reached there, 1.30 times would be
everything. With few records the lead is larger: with 1,750 papers MLSI is 1.94 times BM25.

*A neural model.* Among these 1,750 papers MLSI finds .458, all-MiniLM-L6-v2 .349, BM25 .236. A space that is made by
MLSI from MiniLM's vectors finds .465, the best of all by a little. To fuse with BM25 makes all of these worse.

*Known items.* By meaning alone an informed space is not the place to look for one record. MLSI is behind LSI (arXiv
.276 against .443 MRR@10, Reuters .146 against .175), perhaps since it spends its dimensions on what labels tell apart;
HLSI is ahead of LSI on arXiv (.506) and behind it on Reuters (.144). All are far behind BM25 (.922 and .590) and
TF-IDF. Among 800 papers MiniLM (.954) is level with BM25 (.955), LSI has .807, MLSI .689, MLSI on MiniLM .874. So the
aim of being level with LSI is missed by meaning and by the hybrid of ranks (arXiv .607 against .685), and met by the
hybrid of scores (.908 against .910; Reuters .577 each).

*Fusion.* Reciprocal ranks, which are `fusion="ranks"`, lose what BM25 knows about known items: .607 on arXiv, .310
on Reuters. Ranks forget by how much the first one leads. BM25 as a share of the best, plus the cosine of every record
in either list, keeps it: .908 and .577 with the cosine once, .867 and .519 with the cosine twice. On the held-out
records "twice" is the least of the weights tried that is nowhere below reciprocal ranks, and the test agrees for MLSI
in all six figures, though for nDCG@10 the two are level within what chance does: by text .487 against .485 and .893
against .886, by title .367 against .365 and .830 against .829. HLSI loses .002 on arXiv by text and .006 on Reuters by
title. With the cosine once, whole texts lose up to .025 against ranks, and known items are almost as safe as by words.
Other constants and weights of ranks, and scores stretched between 0 and 1 in each list, are worse in one or the other.

*What follows for the defaults.* `by="hybrid"` stays, fused by scores, the cosine twice. 50 dimensions lose nearly
everywhere (arXiv .413 against .480 by meaning on held-out papers); 200 gain a little on arXiv (.490, and .502 against
.289 for known items by meaning) and lose a little on Reuters (.908 against .917): 100 stays, 200 is worth trying for
large collections. The title twice, stems and pairs of words change little by meaning (at most .004 in nDCG@10 on
held-out records); pairs gain .025 by title on Reuters and .010 in the hybrid x 2 on arXiv. Stems help known items on
Reuters (.180 against .144).

*What is thin.* BM25 takes a fifth of a second for a whole abstract among 32,723, so the sample has 300 queries on
arXiv and 500 on Reuters; standard errors were not computed, and differences below .01 or so should not be read. The
neural model was run on a part of arXiv and not on Reuters, and on arXiv labels only by MLSI with the defaults, and no
taxonomy in the sample: the missing rows come with

    python benchmarks/studies/index_answers_neural.py VECTORS
    python benchmarks/studies/index_answers.py FOLDER --neural VECTORS --write

in an empty folder. The full text of an index was being rewritten for speed in the same hour, so BM25 by words may not
be that of one version in all rows. Seven other programs ran on the machine at the same time: times to train are too
long, several times for some rows, and cannot be compared."""
