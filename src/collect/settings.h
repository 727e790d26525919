/* collect/settings.h - moved: base/settings.h */
#pragma once
#include "base/settings.h"
