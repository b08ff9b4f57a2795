#include "output.h"
void output_bonnie(const struct params *p, bool csv_only)
{
	(void)p;
	(void)csv_only;
}
