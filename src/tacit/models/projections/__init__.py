"""Projections that labels inform: CCA, PLS, LDA, MDDM and MORP."""
