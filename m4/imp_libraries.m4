# IMP_REQUIRE_LIBRARY(VARIABLE, MODULE, DEBIAN-PACKAGE)
# Find the pkg-config MODULE ("name" or "name >= version") and set VARIABLE_CFLAGS, VARIABLE_LIBS and VARIABLE_VERSION. A missing
# one is named in one line; IMP_CHECK_MISSING_LIBRARIES ends the run after all of them were looked for.
AC_DEFUN([IMP_REQUIRE_LIBRARY],[
PKG_CHECK_MODULES([$1],[$2],
	[$1_VERSION=`$PKG_CONFIG --modversion "m4_bregexp([$2],[^\([^ ]+\)],[\1])"`],
	[AS_MESSAGE([missing library: $2 (Debian package $3)])
	imp_missing_packages="$imp_missing_packages $3"])
])

AC_DEFUN([IMP_CHECK_MISSING_LIBRARIES],[
AS_IF([test -n "$imp_missing_packages"],
	[AC_MSG_ERROR([missing libraries; on Debian: apt-get install$imp_missing_packages])])
])
