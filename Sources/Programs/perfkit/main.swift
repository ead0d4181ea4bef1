print("perfkit")
