# SPDX-License-Identifier: GPL-2.0-only
"""Forms of 64-bit powerpc: branches with all conditions, arithmetic with and
without flags, logic, shifts, comparisons, the condition register, special
registers, loads and stores of all sizes and modes.
"""
from forms.form import Form

LR, CTR, XER = 32, 33, 34
# An unmapped address in the kernel's range.
BAD = -0x3ff7c0000010fff0
# As in kprobe_differ.h.
LOW = 4

EXCLUDED = {
    'calls or returns from a level, or is a trap': (
        ['sc', 'scv', 'rfid', 'hrfid', 'rfscv', 'rfebb', 'tw', 'td', 'stop'],),
    'replaces what the kernel runs on': (['mtmsr', 'mtmsrd', 'mtspr'],),
    'not the same twice': (['mftb', 'darn', 'stwcx.', 'stdcx.'],),
    'uses vectors or the FPU, which the kernel has not': (
        ['lfd', 'stfd', 'lvx', 'stvx', 'lxv', 'stxv'],),
    'raises an exception in a little endian kernel': (
        ['lmw', 'stmw', 'lswi', 'lswx', 'stswi', 'stswx'],),
    'prefixed, which this CPU has not': (['pld', 'pstd', 'paddi'],),
}

# The word of the function at each label.
PLACES = {'.Lb@': 0, '.La@': 4, '.Lt@': 7}


class Maker:
    def __init__(self, rnd):
        self.rnd = rnd

    def bits(self, n):
        return self.rnd.getrandbits(n)

    def source(self):
        return self.bits(5)

    def target(self, avoid=()):
        """Not the stack pointer, and not the pointer to per-CPU data."""
        return self.rnd.choice([r for r in range(32)
                                if r not in (1, 13) and r not in avoid])

    def plain(self, name, word, **how):
        form = Form(name, **how)
        form.text = [f'\t.long {word:#010x}']
        return form

    def branch(self, name, word, to, mask):
        distance = (PLACES[to] - PLACES['.La@']) * 4 & mask
        return self.plain(name, word | distance)

    def memory(self, name, word, disp, base, bad=False, align=16):
        form = self.plain(name, word, flags='fault' if bad else '')
        if bad:
            form.register(base, BAD - disp)
        else:
            off = self.rnd.randrange(64, 400) & -align
            form.register(base, f'differ_buf + {off - disp}')
        return form


def with_register(form, number, value):
    form.register(number, value)
    return form


# Each kind of BO, with and without a hint.
CONDITIONS = (0, 2, 4, 6, 7, 8, 10, 12, 14, 15, 16, 18, 20, 24, 25, 26, 27)


def branches(m):
    counts = (0, 1, 2, 1 << 32, (1 << 32) + 1, (1 << 64) - 1)
    for to in ('.Lt@', '.Lb@'):
        for lk in (0, 1):
            for _ in range(4):
                yield m.branch('b', 18 << 26 | lk, to, 0x03fffffc)
            for bo in CONDITIONS:
                for _ in range(5):
                    form = m.branch('bc', 16 << 26 | bo << 21 | m.bits(5) << 16 |
                                    lk, to, 0xfffc)
                    if not bo & 4:
                        form.register(CTR, m.rnd.choice(counts))
                    yield form
                for _ in range(3):
                    form = m.plain('bclr', 19 << 26 | bo << 21 |
                                   m.bits(5) << 16 | 16 << 1 | lk)
                    form.register(LR, to)
                    if not bo & 4:
                        form.register(CTR, m.rnd.choice(counts))
                    yield form
                    if bo & 4:
                        yield with_register(
                            m.plain('bcctr', 19 << 26 | bo << 21 |
                                    m.bits(5) << 16 | 528 << 1 | lk), CTR, to)
    # The usual way to get the current address.
    yield m.plain('bcl-next', 20 << 21 | 31 << 16 | 16 << 26 | 5)


def immediates(m):
    for _ in range(8):
        for op in (7, 8, 12, 13, 14, 15):
            yield m.plain('addi', op << 26 | m.target() << 21 | m.source() << 16 |
                          m.bits(16))
        for op in range(24, 30):
            yield m.plain('ori', op << 26 | m.source() << 21 | m.target() << 16 |
                          m.bits(16))
        for op in (10, 11):
            yield m.plain('cmpi', op << 26 | m.bits(3) << 23 | m.bits(1) << 21 |
                          m.source() << 16 | m.bits(16))
        yield m.plain('addpcis', 19 << 26 | m.target() << 21 | m.bits(15) << 6 |
                      2 << 1 | m.bits(1))
        for op in (0, 1):
            for rc in (0, 1):
                for code in (20, 21, 23):
                    yield m.plain('rlwinm', code << 26 | m.source() << 21 |
                                  m.target() << 16 | m.bits(15) << 1 | rc)
                for code in range(4):
                    yield m.plain('rldicl', 30 << 26 | m.source() << 21 |
                                  m.target() << 16 | m.bits(11) << 5 |
                                  code << 2 | op << 1 | rc)
                for code in (8, 9):
                    yield m.plain('rldcl', 30 << 26 | m.source() << 21 |
                                  m.target() << 16 | m.bits(11) << 5 |
                                  code << 1 | rc)
        for code in (48, 49, 51):
            yield m.plain('maddhd', 4 << 26 | m.target() << 21 |
                          m.source() << 16 | m.source() << 11 |
                          m.source() << 6 | code)


# Opcode 31: the target is in the first field, or in the second one.
OVERFLOWING = (8, 10, 40, 104, 136, 138, 200, 202, 232, 233, 234, 235, 266)
ONE_SOURCE = (104, 200, 202, 232, 234)
HIGH = (9, 73)
# The upper half of their result is undefined, and so is CR0.
HIGH_WORD = (11, 75)
DIVISION, DIVISION_WORD = (393, 425, 457, 489), (395, 427, 459, 491)
MODULO, MODULO_WORD = (265, 777), (267, 779)
LOGIC = (28, 60, 124, 284, 316, 412, 444, 476)
UNARY = (26, 58, 538, 570, 922, 954, 986)
COUNTS = (122, 378, 506, 154, 186)
SHIFTS = (24, 27, 536, 539, 792, 794, 824)


def division(m, xo, rc, oe, word):
    """Neither by zero nor with overflow, whose results are undefined."""
    t, a, b = m.rnd.sample([r for r in range(32) if r not in (1, 13)], 3)
    low = LOW | t << 8 if word else 0
    form = m.plain('div', 31 << 26 | t << 21 | a << 16 | b << 11 | oe << 1 |
                   xo << 1 | rc, number=low)
    # Extended divisions have the dividend in the upper half.
    extended = xo in (393, 395, 425, 427)
    b_bits = m.rnd.randrange(12, 31 if word else 63)
    divisor = 1 << b_bits | m.bits(b_bits)
    dividend = m.bits(b_bits - 8 if extended else 30 if word else 62)
    high = m.bits(32) << 32 if word else 0
    form.register(a, high | dividend)
    form.register(b, high | divisor)
    return form


def registers(m):
    def word(xo, rc, a, b, c):
        return 31 << 26 | a << 21 | b << 16 | c << 11 | xo << 1 | rc
    for _ in range(4):
        for rc in (0, 1):
            for oe in (0, 512):
                for xo in OVERFLOWING:
                    c = 0 if xo in ONE_SOURCE else m.source()
                    yield m.plain('add-o' if oe else 'add',
                                  word(xo | oe, rc, m.target(), m.source(), c))
            for xo in HIGH:
                yield m.plain('mulh', word(xo, rc, m.target(), m.source(),
                                           m.source()))
            for oe in (0, 512):
                for xo in DIVISION:
                    yield division(m, xo, rc, oe, False)
            for xo in LOGIC:
                yield m.plain('and', word(xo, rc, m.source(), m.target(),
                                          m.source()))
            for xo in UNARY:
                yield m.plain('exts', word(xo, rc, m.source(), m.target(), 0))
            for xo in SHIFTS:
                yield m.plain('shift', word(xo, rc, m.source(), m.target(),
                                            m.source()))
            for xo in (826, 827, 890, 891):
                yield m.plain('sradi', word(xo, rc, m.source(), m.target(),
                                            m.source()))
        for xo in HIGH_WORD:
            t = m.target()
            yield m.plain('mulhw', word(xo, 0, t, m.source(), m.source()),
                          number=LOW | t << 8)
        for oe in (0, 512):
            for xo in DIVISION_WORD:
                yield division(m, xo, 0, oe, True)
        for xo in MODULO:
            yield division(m, xo, 0, 0, False)
        for xo in MODULO_WORD:
            yield division(m, xo, 0, 0, True)
        for xo in COUNTS:
            yield m.plain('popcnt', word(xo, 0, m.source(), m.target(), 0))
        for xo in (252, 508):
            yield m.plain('cmpb', word(xo, 0, m.source(), m.target(), m.source()))
        for xo in (0, 32):
            yield m.plain('cmp', word(xo, 0, m.bits(3) << 2 | m.bits(1),
                                      m.source(), m.source()))
        yield m.plain('cmprb', word(192, 0, m.bits(3) << 2 | m.bits(1),
                                    m.source(), m.source()))
        yield m.plain('cmpeqb', word(224, 0, m.bits(3) << 2, m.source(),
                                     m.source()))
        yield m.plain('setb', word(128, 0, m.target(), m.bits(3) << 2, 0))
        yield m.plain('addex', word(170, 0, m.target(), m.source(), m.source()))
        for bit in range(0, 32, 4):
            yield m.plain('isel', 31 << 26 | m.target() << 21 |
                          m.source() << 16 | m.source() << 11 |
                          (bit | m.bits(2)) << 6 | 15 << 1)


def conditions(m):
    for _ in range(6):
        for xo in (33, 129, 193, 225, 257, 289, 417, 449):
            yield m.plain('crand', 19 << 26 | m.bits(15) << 11 | xo << 1)
        yield m.plain('mcrf', 19 << 26 | m.bits(3) << 23 | m.bits(3) << 18)
        yield m.plain('mcrxrx', 31 << 26 | m.bits(3) << 23 | 576 << 1)
        yield m.plain('mfcr', 31 << 26 | m.target() << 21 | 19 << 1)
        yield m.plain('mfocrf', 31 << 26 | m.target() << 21 | 1 << 20 |
                      1 << 12 + m.bits(3) | 19 << 1)
        yield m.plain('mtcrf', 31 << 26 | m.source() << 21 | m.bits(8) << 12 |
                      144 << 1)
        yield m.plain('mtocrf', 31 << 26 | m.source() << 21 | 1 << 20 |
                      1 << 12 + m.bits(3) | 144 << 1)


def special(m):
    def number(spr):
        return (spr & 31) << 16 | spr >> 5 << 11
    for _ in range(6):
        for spr in (8, 9, 1):
            yield m.plain('mfspr', 31 << 26 | m.target() << 21 | number(spr) |
                          339 << 1)
        for spr in (8, 9):
            yield m.plain('mtspr', 31 << 26 | m.source() << 21 | number(spr) |
                          467 << 1)
        r = m.target()
        yield with_register(m.plain('mtxer', 31 << 26 | r << 21 | number(1) |
                                    467 << 1), r, m.bits(32) & 0xe00c007f)
        yield m.plain('mfmsr', 31 << 26 | m.target() << 21 | 83 << 1)
        yield m.plain('mfpvr', 31 << 26 | m.target() << 21 | number(287) |
                      339 << 1)
    for xo, fields in ((598, (0, 1, 2)), (854, (0,))):
        for field in fields:
            yield m.plain('sync', 31 << 26 | field << 21 | xo << 1)
    yield m.plain('isync', 19 << 26 | 150 << 1)
    for xo in (278, 246, 54, 86, 982, 1014):
        a, b = 0, m.target((0,))
        yield m.memory('dcb', 31 << 26 | a << 16 | b << 11 | xo << 1, 0, b,
                       align=128)
    yield m.plain('nop', 0x60000000)
    for n in (1, 2, 6, 31):
        yield m.plain('or-nop', 31 << 26 | n << 21 | n << 16 | n << 11 | 444 << 1)


# Primary opcodes: sizes, and whether they load.
PLAIN = ((32, 1), (34, 1), (36, 0), (38, 0), (40, 1), (42, 1), (44, 0))
# Opcode 31: with an index; UPDATING also write the base.
INDEXED = (21, 23, 87, 149, 151, 215, 279, 341, 343, 407)
UPDATING = ((53, 1), (55, 1), (119, 1), (181, 0), (183, 0), (247, 0), (311, 1),
            (373, 1), (375, 1), (439, 0))
REVERSED = (532, 534, 660, 662, 790, 918)
RESERVING = (20, 52, 84, 116)


def loads(m):
    for bad in (False, False, False, True):
        for op, load in PLAIN:
            for update in (0, 1):
                base = m.target((0,))
                t = m.target((base,)) if load else m.source()
                disp = m.bits(16)
                yield m.memory('lwzu' if update else 'lwz', (op | update) << 26 |
                               t << 21 | base << 16 | disp,
                               disp - (disp >> 15 << 16), base, bad)
        # The two low bits are part of the opcode.
        for op, kind in ((58, 0), (58, 1), (58, 2), (62, 0), (62, 1)):
            base = m.target((0,))
            t = m.target((base,)) if op == 58 else m.source()
            disp = m.bits(14) << 2
            yield m.memory('ld', op << 26 | t << 21 | base << 16 | disp | kind,
                           disp - (disp >> 15 << 16), base, bad)
        for xo in INDEXED + REVERSED + RESERVING:
            base = m.rnd.choice((0, m.target()))
            index = m.target((0, base))
            value = m.rnd.randrange(0, 64) & -16 if base else 0
            form = m.memory('lwarx' if xo in RESERVING else 'lwzx', 31 << 26 |
                            m.target((base, index)) << 21 | base << 16 |
                            index << 11 | xo << 1, value, base or index, bad)
            if base:
                form.register(index, value)
            yield form
        for xo, load in UPDATING:
            base = m.target((0,))
            index = m.target((base,))
            t = m.target((base, index)) if load else m.source()
            value = m.rnd.randrange(0, 64)
            form = m.memory('lwzux', 31 << 26 | t << 21 | base << 16 |
                            index << 11 | xo << 1, value, base, bad)
            form.register(index, value)
            yield form
    # As in most functions' first instructions.
    for t in (0, 31):
        yield m.plain('std-sp', 62 << 26 | t << 21 | 1 << 16 | 16)
    yield m.plain('ld-sp', 58 << 26 | m.target() << 21 | 1 << 16 | 16)
    yield m.plain('stdu-sp', 62 << 26 | 1 << 21 | 1 << 16 | 0xffe1, pushed=0)
    yield m.plain('addi-sp', 14 << 26 | 1 << 21 | 1 << 16 | 64)
    yield m.plain('stdu-sp', 62 << 26 | m.source() << 21 | 1 << 16 | 0xfff9,
                  pushed=8)


def forms(rnd, bits):
    m = Maker(rnd)
    for some in (branches, immediates, registers, conditions, special, loads):
        yield from some(m)


def function(rnd, n, form):
    """The function around form number @n: see kprobe_differ.h."""
    name = f'differ_{n}'
    lines = ['\t.balign 16', f'\t.type {name}, @function', f'{name}:',
             f'.Lb{n}:\tb differ_exit_back',
             f'.Lm{n}:\tnop',
             '\tb differ_exit_bad',
             f'.Lj{n}:\tnop',
             f'.La{n}:', *form.text,
             f'.Le{n}:\tnop',
             '\tb differ_exit_fall',
             f'.Lt{n}:\tb differ_exit_taken',
             f'\t.size {name}, . - {name}']
    if 'fault' in form.flags:
        lines.append(f'\tEX_TABLE(.La{n}, differ_fixup)')
    return '\n'.join(lines)


HEAD = '#include <asm/asm-compat.h>\n#include <asm/extable.h>'
