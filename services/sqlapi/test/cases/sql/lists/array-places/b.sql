SELECT id FROM t WHERE tags && array [ /* all */ :xs -- of them
 ]
