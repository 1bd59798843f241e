/* only :a comment
