# SPDX-License-Identifier: GPL-2.0-only
"""Forms of arm64: branches of all kinds, instructions relative to the PC,
loads and stores of all sizes and modes, arithmetic with and without flags, moves,
bit fields, conditional instructions, atomics, hints, barriers and system registers.
"""
from forms.form import Form

SP = 31
BAD = -0xff0
# As in kprobe_differ.h.
BANKED = 8
# The word of the function at each label.
PLACES = {'.Lb@': 0, '.La@': 4, '.Lt@': 7, '.Ld@': 8}

EXCLUDED = {
    'calls or returns from a level, or is a trap': (
        ['svc', 'hvc', 'smc', 'brk', 'hlt', 'dcps', 'eret', 'drps', 'udf'],),
    'waits': (['wfe', 'wfi', 'wfet', 'wfit'],),
    'replaces a register of the kernel': (
        ['msr', 'msr spsel', 'msr pan', 'msr uao'],),
    'not the same twice': (['mrs cntvct_el0', 'rndr'],),
    'needs a pointer that the kernel has signed': (
        ['braa', 'blraa', 'retaa', 'ldraa'],),
    'uses vectors, which the kernel has not': (['simd', 'sve', 'sme'],),
    'accesses memory of users': (['ldtr', 'sttr'],),
}


class Maker:
    def __init__(self, rnd):
        self.rnd = rnd

    def reg(self, avoid=()):
        """A random register, sometimes the zero register."""
        return self.rnd.choice([r for r in range(31) if r not in avoid] +
                               [31] * (31 not in avoid))

    def bits(self, n):
        return self.rnd.getrandbits(n)

    def plain(self, name, word, **how):
        form = Form(name, **how)
        form.text = [f'\t.inst {word:#010x}']
        return form

    def branch(self, name, word, to, at, width, **how):
        """A branch to a label: its distance, in words, at bit @at."""
        form = Form(name, **how)
        distance = PLACES[to] - PLACES['.La@'] & (1 << width) - 1
        form.text = [f'\t.inst {word | distance << at:#010x}']
        return form

    def memory(self, name, word, disp, avoid=(), base=None, flags='', bad=False,
               align=16):
        """A load or store whose base plus @disp is in the buffer."""
        base = self.reg((31, *avoid)) if base is None else base
        form = self.plain(name, word | base << 5, flags=flags)
        if bad:
            form.register(base, BAD - disp)
        else:
            off = self.rnd.randrange(64, 400) & -align
            form.register(base, f'differ_buf + {off - disp}')
        return form


def branches(m):
    for to in ('.Lt@', '.Lb@'):
        yield m.branch('b', 0x14000000, to, 0, 26)
        yield m.branch('bl', 0x94000000, to, 0, 26)
        for cond in range(16):
            for _ in range(2):
                yield m.branch('b.cond', 0x54000000 | cond, to, 5, 19)
        for op in (0x34000000, 0x35000000, 0xb4000000, 0xb5000000):
            for value in (0, 1, 1 << 32, 1 << 63, None, None):
                form = m.branch('cbz', op | (r := m.reg()), to, 5, 19)
                if value is not None and r != 31:
                    form.register(r, value)
                yield form
        for op in (0x36000000, 0x37000000):
            for bit in range(64):
                yield m.branch('tbz', op | bit >> 5 << 31 | (bit & 31) << 19 |
                               m.reg(), to, 5, 14)
        for name, op in (('br', 0xd61f0000), ('blr', 0xd63f0000),
                         ('ret', 0xd65f0000)):
            for r in range(31):
                form = m.plain(name, op | r << 5)
                form.register(r, to)
                yield form


def relative(m):
    for op in (0x10000000, 0x90000000):
        for _ in range(40):
            yield m.plain('adr', op | m.bits(2) << 29 | m.bits(19) << 5 | m.reg())
    for op, name in ((0x18000000, 'ldr-lit'), (0x58000000, 'ldr-lit'),
                     (0x98000000, 'ldrsw-lit'), (0xd8000000, 'prfm-lit')):
        for _ in range(12):
            yield m.branch(name, op | m.reg(), '.Ld@', 5, 19)
    for op in (0x1c000000, 0x5c000000):
        yield m.branch('ldr-fp-lit', op, '.Ld@', 5, 19)


def loads(m):
    for size in range(4):
        for opc in range(4):
            if size > 1 and opc == 3:
                continue
            prefetch = (size, opc) == (3, 2)
            word = size << 30 | 0x38000000 | opc << 22
            for bad in (False, True):
                flags = 'fault' if bad and not prefetch else ''
                for _ in range(3):
                    imm = m.bits(9)
                    disp = imm - (imm >> 8 << 9)
                    yield m.memory('ldur', word | imm << 12 | m.reg(), disp,
                                   flags=flags, bad=bad)
                    imm = m.bits(12)
                    yield m.memory('ldr-imm', word | 1 << 24 | imm << 10 |
                                   m.reg(), imm << size, flags=flags, bad=bad)
                    for mode, name in ((1, 'ldr-post'), (3, 'ldr-pre')):
                        if prefetch:
                            continue
                        imm = m.bits(9)
                        disp = imm - (imm >> 8 << 9)
                        t = m.reg()
                        yield m.memory(name, word | imm << 12 | mode << 10 | t,
                                       disp if mode == 3 else 0, (t,),
                                       flags=flags, bad=bad)
                    yield by_register(m, word, size, bad, flags)
            yield m.plain('ldr-sp', word | 1 << 24 | (m.bits(3) << 4 >> size)
                          << 10 | SP << 5 | m.reg())


def by_register(m, word, size, bad, flags):
    """An access with an extended and shifted index."""
    t = m.reg()
    index = m.reg((31,))
    option = m.rnd.choice((2, 3, 6, 7))
    shift = m.bits(1)
    value = m.rnd.randrange(0, 8)
    form = m.memory('ldr-reg', word | 1 << 21 | 1 << 11 | index << 16 |
                    option << 13 | shift << 12 | t,
                    value << (size if shift else 0), (index,), flags=flags,
                    bad=bad)
    # A 32-bit index ignores the upper half of its register.
    high = m.bits(32) << 32 if option in (2, 6) else 0
    form.register(index, high | value)
    return form


def pairs(m):
    for opc, scale in ((0, 2), (1, 2), (2, 3)):
        for load in (0, 1):
            if opc == 1 and not load:
                continue
            for mode, name in ((1, 'ldp-post'), (2, 'ldp'), (3, 'ldp-pre'),
                               (0, 'ldnp')):
                if opc == 1 and mode == 0:
                    continue
                for bad in (False, False, False, True):
                    imm = m.bits(7)
                    disp = (imm - (imm >> 6 << 7)) << scale
                    t = m.reg((31,))
                    u = m.reg((31, t))
                    yield m.memory(
                        name, opc << 30 | 0x28000000 | mode << 23 | load << 22 |
                        imm << 15 | u << 10 | t, 0 if mode == 1 else disp,
                        (t, u), flags='fault' if bad else '', bad=bad)
    # As in most functions' first and last instructions.
    for _ in range(4):
        yield m.plain('stp-sp', 0xa9800000 | (-2 & 127) << 15 | m.reg() << 10 |
                      SP << 5 | m.reg(), pushed=16)
    for imm in (2, 4, 8, 12):
        yield m.plain('ldp-sp', 0xa8c00000 | imm << 15 | 30 << 10 | SP << 5 | 29)


def atomics(m):
    for size in range(4):
        ex = size << 30 | 0x08000000
        for order in (0, 0x8000):
            for _ in range(2):
                t = m.reg((31,))
                yield m.memory('ldxr', ex | 0x5f7c00 | order | t, 0, (t,))
                s = m.reg((31, t))
                yield m.memory('stxr', ex | 0x007c00 | order | s << 16 | t, 0,
                               (s, t))
        for op, name in ((0xdffc00, 'ldar'), (0x9ffc00, 'stlr'),
                         (0xdf7c00, 'ldlar'), (0x9f7c00, 'stllr')):
            yield m.memory(name, ex | op | m.reg(), 0)
        yield m.memory('ldapr', size << 30 | 0x38bfc000 | m.reg(), 0)
        for order in range(4):
            for op in (*range(8), 8):
                code = op << 12 if op < 8 else 0x8000
                for bad in (False, op == order):
                    yield m.memory(
                        'swp' if op == 8 else 'ldadd', size << 30 | 0x38200000 |
                        order << 22 | m.reg() << 16 | code | m.reg(), 0,
                        flags='fault' if bad else '', bad=bad)
            yield m.memory('cas', size << 30 | 0x08a07c00 | (order & 1) << 22 |
                           (order >> 1) << 15 | m.reg() << 16 | m.reg(), 0)
    for wide in (0, 1):
        s, t = m.bits(3) * 2, 16 + m.bits(3) * 2
        if t > 28:
            t = 28
        yield m.memory('casp', wide << 30 | 0x08207c00 | s << 16 | t, 0,
                       (s, s + 1, t, t + 1))


def bitmask(m, wide):
    """The fields of a logical instruction's immediate value."""
    size = m.rnd.choice((2, 4, 8, 16, 32) + ((64,) if wide else ()))
    ones = m.rnd.randrange(1, size)
    imms = (~(size * 2 - 1) & 0x3f) | (ones - 1)
    return (size == 64) << 22 | m.rnd.randrange(size) << 16 | imms << 10


def arithmetic(m):
    for wide in (0, 1):
        sf = wide << 31
        for op in range(4):
            opc = op << 29 | sf
            for _ in range(6):
                for shift in (0, 1):
                    # Without flags, 31 is the stack pointer.
                    avoid = () if op & 1 else (31,)
                    yield m.plain('add-imm', 0x11000000 | opc | shift << 22 |
                                  m.bits(12) << 10 | m.reg() << 5 |
                                  m.reg(avoid))
                for kind in range(3):
                    yield m.plain('add-shift', 0x0b000000 | opc | kind << 22 |
                                  m.reg() << 16 | m.bits(5 + wide) << 10 |
                                  m.reg() << 5 | m.reg())
                yield m.plain('add-ext', 0x0b200000 | opc | m.reg() << 16 |
                              m.bits(3) << 13 | m.rnd.randrange(5) << 10 |
                              m.reg() << 5 | m.reg(() if op & 1 else (31,)))
                yield m.plain('adc', 0x1a000000 | opc | m.reg() << 16 |
                              m.reg() << 5 | m.reg())
                yield m.plain('and-imm', 0x12000000 | opc | bitmask(m, wide) |
                              m.reg() << 5 | m.reg(() if op == 3 else (31,)))
                for kind in range(4):
                    yield m.plain('and-shift', 0x0a000000 | opc | kind << 22 |
                                  m.bits(1) << 21 | m.reg() << 16 |
                                  m.bits(5 + wide) << 10 | m.reg() << 5 |
                                  m.reg())
                if op != 1:
                    yield m.plain('movz', 0x12800000 | opc |
                                  m.bits(1 + wide) << 21 | m.bits(16) << 5 |
                                  m.reg())
                if op != 3:
                    yield m.plain('bfm', 0x13000000 | opc | wide << 22 |
                                  m.bits(5 + wide) << 16 |
                                  m.bits(5 + wide) << 10 | m.reg() << 5 |
                                  m.reg())
                if op & 1:
                    for imm in (0, 0x800):
                        yield m.plain('ccmp', 0x1a400000 | opc | imm |
                                      m.reg() << 16 | m.bits(4) << 12 |
                                      m.reg() << 5 | m.bits(4))
                else:
                    for second in (0, 0x400):
                        yield m.plain('csel', 0x1a800000 | opc | second |
                                      m.reg() << 16 | m.bits(4) << 12 |
                                      m.reg() << 5 | m.reg())
        for _ in range(4):
            yield m.plain('extr', 0x13800000 | sf | wide << 22 | m.reg() << 16 |
                          m.bits(5 + wide) << 10 | m.reg() << 5 | m.reg())
            for op in (0, 1, 2, 4, 5) + ((3,) if wide else ()):
                yield m.plain('rev', 0x5ac00000 | sf | op << 10 | m.reg() << 5 |
                              m.reg())
            for op in (2, 3, 8, 9, 10, 11):
                yield m.plain('div', 0x1ac00000 | sf | m.reg() << 16 | op << 10 |
                              m.reg() << 5 | m.reg())
            for op in (0, 0x8000):
                yield m.plain('madd', 0x1b000000 | sf | op | m.reg() << 16 |
                              m.reg() << 10 | m.reg() << 5 | m.reg())
    for _ in range(4):
        for op in (0x9b200000, 0x9b208000, 0x9ba00000, 0x9ba08000):
            yield m.plain('maddl', op | m.reg() << 16 | m.reg() << 10 |
                          m.reg() << 5 | m.reg())
        for op in (0x9b407c00, 0x9bc07c00):
            yield m.plain('mulh', op | m.reg() << 16 | m.reg() << 5 | m.reg())
        for size in range(4):
            for kind in (0x4000, 0x5000):
                yield m.plain('crc32', 0x1ac00000 | (size == 3) << 31 | kind |
                              size << 10 | m.reg() << 16 | m.reg() << 5 | m.reg())
        yield m.plain('rmif', 0xba000400 | m.bits(6) << 15 | m.reg() << 5 |
                      m.bits(4))
        for op in (0x3a00080d, 0x3a00480d):
            yield m.plain('setf', op | m.reg() << 5)
    for op in (0xd500401f, 0xd500403f, 0xd500405f):
        yield m.plain('cfinv', op)


def stack_pointer(m):
    for imm in (16, 32, 64, 96):
        yield m.plain('add-sp', 0x910003ff | imm << 10)
        yield m.plain('sub-sp', 0xd10003ff | imm << 10)
    for _ in range(4):
        yield m.plain('mov-sp', 0x910003e0 | m.reg((31,)))


def system(m):
    # CRm and op2: all hints, except hints that wait.
    for hint in range(128):
        if hint not in (2, 3):
            yield m.plain('hint', 0xd503201f | hint << 5)
    for word in (0xd503305f, 0xd50330ff):
        yield m.plain('barrier', word)
    for kind in (0x9f, 0xbf):
        for domain in range(16):
            yield m.plain('barrier', 0xd5033000 | domain << 8 | kind)
    yield m.plain('isb', 0xd5033fdf)
    # Identification and other constant registers: op0 op1 CRn CRm op2. Some of
    # the first and the fourth row do not exist.
    for crm in (0, 1, 2, 4, 5, 6, 7):
        for op2 in range(8) if crm else (0, 5, 6):
            yield m.plain('mrs-id', 0xd5380000 | crm << 8 | op2 << 5 | m.reg())
    for field, name in ((0xd53b4200, 'nzcv'), (0xd5384240, 'currentel'),
                        (0xd53b4220, 'daif'), (0xd5381000, 'sctlr'),
                        (0xd5382040, 'tcr'), (0xd538a200, 'mair'),
                        (0xd538c000, 'vbar'), (0xd53b0020, 'ctr'),
                        (0xd53b00e0, 'dczid'), (0xd53be000, 'cntfrq'),
                        (0xd53bd040, 'tpidr'), (0xd538d080, 'tpidr1'),
                        (0xd5384100, 'sp_el0'), (0xd538d020, 'contextidr'),
                        (0xd5384260, 'pan')):
        yield m.plain('mrs-' + name, field | m.reg())
    # Registers that exceptions overwrite: a probe there is refused.
    for field in (0xd5384000, 0xd5384020, 0xd5385200, 0xd5386000):
        yield m.plain('mrs-banked', field | m.reg((31,)), number=BANKED)
    for _ in range(8):
        yield m.plain('msr-nzcv', 0xd51b4200 | m.reg())
    for op in (0xd50342df, 0xd50342ff):
        yield m.plain('msr-daif', op)
    for op, name in ((0xd50b7a20, 'dc-cvac'), (0xd50b7e20, 'dc-civac'),
                     (0xd50b7b20, 'dc-cvau'), (0xd50b7520, 'ic-ivau'),
                     (0xd50b7420, 'dc-zva')):
        r = m.reg((31,))
        form = m.plain(name, op | r)
        form.register(r, 'differ_buf + 128')
        yield form


def forms(rnd, bits):
    m = Maker(rnd)
    for some in (branches, relative, loads, pairs, atomics, arithmetic,
                 stack_pointer, system):
        yield from some(m)


def function(rnd, n, form):
    """The function around form number @n: see kprobe_differ.h."""
    name = f'differ_{n}'
    lines = ['\t.balign 16', f'\t.type {name}, %function', f'{name}:',
             f'.Lb{n}:\tb differ_exit_back',
             f'.Lm{n}:\tnop',
             '\tb differ_exit_bad',
             f'.Lj{n}:\tnop',
             f'.La{n}:', *(t.replace('@', str(n)) for t in form.text),
             f'.Le{n}:\tnop',
             '\tb differ_exit_fall',
             f'.Lt{n}:\tb differ_exit_taken',
             f'\t.balign 8\n.Ld{n}:\t.quad {rnd.getrandbits(64):#x}',
             f'\t.size {name}, . - {name}']
    if 'fault' in form.flags:
        lines.append(f'\t_asm_extable_uaccess .La{n}, differ_fixup')
    return '\n'.join(lines)


HEAD = '#include <asm/asm-extable.h>'
