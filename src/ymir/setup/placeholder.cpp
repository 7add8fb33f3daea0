namespace ymir {}
