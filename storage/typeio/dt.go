package typeio

const maxDate = 2145031948
