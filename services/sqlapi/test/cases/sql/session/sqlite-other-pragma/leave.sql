PRAGMA recursive_triggers = 1
