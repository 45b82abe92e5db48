// What the tool gets from its host in place of the operating system: the folder it starts in.
#include <stdlib.h>
#include <unistd.h>

// Relative paths start there; a module has no folder of its own.
__attribute__((constructor)) static void enter_folder(void)
{
    const char *folder = getenv("PWD");
    if (folder && chdir(folder) != 0)
        _Exit(2);
}
