-- dump
CREATE TABLE `t` (`x` float, `c` varchar(5));
INSERT INTO `t` VALUES (1.5,'a'),(2.5,'b');
