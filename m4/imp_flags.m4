# IMP_PROBE_FLAG(FLAG, WHEN-ACCEPTED, WHEN-REFUSED)
# Compile and link a small program with FLAG and -Werror.
AC_DEFUN([IMP_PROBE_FLAG],[
AC_MSG_CHECKING([whether $CC accepts $1])
imp_save_CFLAGS=$CFLAGS
CFLAGS="$CFLAGS -Werror $1"
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <stdio.h>]],[[puts("");]])],[imp_flag_ok=yes],[imp_flag_ok=no])
CFLAGS=$imp_save_CFLAGS
AC_MSG_RESULT([$imp_flag_ok])
AS_IF([test $imp_flag_ok = yes],[$2],[$3])
])

# IMP_APPEND_FLAGS(VARIABLE, FLAGS): append those of FLAGS that the compiler accepts.
AC_DEFUN([IMP_APPEND_FLAGS],[
for imp_flag in m4_normalize([$2]); do
	IMP_PROBE_FLAG([$imp_flag],[$1="$$1 $imp_flag"])
done
])

# IMP_REQUIRE_FLAGS(VARIABLE, FLAGS, [HINT]): append FLAGS, or end with an error.
AC_DEFUN([IMP_REQUIRE_FLAGS],[
IMP_PROBE_FLAG([$2],[$1="$$1 $2"],[AC_MSG_ERROR([$CC does not accept $2[]m4_ifval([$3],[: $3])])])
])
