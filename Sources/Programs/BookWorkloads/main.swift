print("BookWorkloads")
