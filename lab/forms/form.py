"""An instruction with operands, and what these have to be."""

# As in kprobe_differ.h.
STACK_FIX = 2048


class Form:
    """@name: of its class; @pushed: how many bytes below the stack pointer it
    writes; @flags: 'fault', 'direction'; @number: flags as they are.  text: lines of assembly, in which @ is
    the number of the form."""

    def __init__(self, name, pushed=0, flags='', number=0):
        self.name, self.pushed, self.flags = name, pushed, flags.split()
        self.number = number
        self.text, self.registers, self.words = [], {}, {}

    def register(self, number, value):
        """It has this value, a number or an expression."""
        self.registers[number] = value

    def memory(self, where, value):
        self.words[where] = value

    def stack(self, offset, value):
        """A word on the stack, @offset from where the stack pointer is."""
        self.words[STACK_FIX + offset] = value

    def fixes(self):
        return [*self.registers.items(), *self.words.items()]
