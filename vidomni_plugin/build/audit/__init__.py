"""Have people check finished pairs in Label Studio: sample, projects, accuracy and agreement."""
