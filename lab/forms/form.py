# SPDX-License-Identifier: GPL-2.0-only
"""An instruction with operands, and the values they need."""

# As in kprobe_differ.h.
STACK_FIX = 2048


class Form:
    """@name: its class; @pushed: bytes below the stack pointer that it writes;
    @flags: 'fault', 'direction'; @number: flags as a number.  text: lines of
    assembly, in which @ is the number of the form."""

    def __init__(self, name, pushed=0, flags='', number=0):
        self.name, self.pushed, self.flags = name, pushed, flags.split()
        self.number = number
        self.text, self.registers, self.words = [], {}, {}

    def register(self, number, value):
        """Set a register to a number or an expression."""
        self.registers[number] = value

    def memory(self, where, value):
        self.words[where] = value

    def stack(self, offset, value):
        """Set a word on the stack, @offset from the stack pointer."""
        self.words[STACK_FIX + offset] = value

    def fixes(self):
        return [*self.registers.items(), *self.words.items()]
