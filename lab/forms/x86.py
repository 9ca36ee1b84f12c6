# SPDX-License-Identifier: GPL-2.0-only
"""Forms of x86: all general opcodes of the one-byte, 0F, 0F38 and 0F3A maps, in
all operand sizes and with all kinds of operands; SSE and x87 for operands
that depend on the address of the instruction.

EXCLUDED lists opcodes that are not executed, by reason.
"""
from forms.form import Form

SP, BP = 4, 5
SHAPES = ('reg', 'base', 'disp8', 'disp32', 'sib8', 'sib32', 'index', 'abs',
          'rip', 'sp')

# Opcodes of two maps by the reason why no form has them. A pair is an opcode
# and bits 3-5 of its ModRM byte.
EXCLUDED = {
    'privileged, or enters or leaves the kernel': (
        [0x9a, 0xea, 0xca, 0xcb, 0xcf, 0xf4],
        [(0x00, 2), (0x00, 3), (0x01, 2), (0x01, 3), (0x01, 6), (0x01, 7), 0x05,
         0x06, 0x07, 0x08, 0x09, 0x20, 0x21, 0x22, 0x23, 0x30, 0x32, 0x33, 0x34,
         0x35, 0x37, 0x78, 0x79, 0xaa]),
    'a trap or a software interrupt': (
        [0xcc, 0xcd, 0xce, 0xf1], [0x0b, 0xb9, 0xff]),
    'input and output': (
        [*range(0x6c, 0x70), *range(0xe4, 0xe8), *range(0xec, 0xf0)], []),
    'not the same twice': (
        [], [0x31, (0xc7, 6), (0xc7, 7)]),
    'replaces a segment of the kernel': (
        [0x07, 0x17, (0x8e, 2), (0x8e, 4), (0x8e, 5)],
        [0xa1, 0xa9, 0xb2, 0xb4, 0xb5]),
    'loads or stores the state of the FPU, and where its last one was': (
        [(0xd9, 4), (0xd9, 5), (0xd9, 6), (0xdd, 4), (0xdd, 6)],
        [(0xae, n) for n in range(5)] + [(0xae, 6), (0xc7, 3), (0xc7, 4),
                                         (0xc7, 5)]),
    'begins or ends a transaction': ([(0xc6, 7), (0xc7, 7)], []),
}


def hexes(data):
    return '\t.byte ' + ', '.join(f'{b:#04x}' for b in data)


class Maker:
    """Makes forms: see insn()."""

    def __init__(self, rnd, bits):
        self.rnd, self.bits = rnd, bits
        self.word = bits // 8
        self.registers = [r for r in range(16 if bits == 64 else 8) if r != SP]
        self.shapes = [s for s in SHAPES if bits == 64 or s != 'rip']
        self.memory = self.shapes[1:]
        self.sizes = (16, 32, 64) if bits == 64 else (16, 32)

    def imm(self, n):
        """An immediate value of @n bytes."""
        if not n:
            return ''
        value = self.rnd.choice((self.rnd.getrandbits(8 * n), 0, 1,
                                 (1 << 8 * n) - 1, 1 << 8 * n - 1))
        return hexes(value.to_bytes(n, 'little'))

    def size_prefix(self, size):
        return [0x66] if size == 16 else []

    def register(self, size, rex, avoid=()):
        """A register's number; without REX, bytes 4 to 7 are AH to BH."""
        if size == 8 and not rex:
            return self.rnd.choice([r for r in range(8) if r not in avoid])
        few = [r for r in self.registers if (rex or r < 8) and r not in avoid]
        return self.rnd.choice(few)

    def operand(self, form, shape, rex, fixed, align, bad):
        """A memory operand: (mod, rm, SIB, its displacement as assembly, index
        and base); set the registers that it needs."""
        rnd = self.rnd
        off = rnd.randrange(64, 400) & -align
        bits = range(16) if rex else range(8)
        taken = set(fixed) | {SP}
        free = [r for r in bits if r not in taken]
        target = f'differ_buf + {off}'
        form.target = target
        if shape == 'rip':
            return 0, 5, None, f'\t.long {target} - .Le@', 0, 0
        if shape == 'abs':
            text = self.absolute(target)
            if self.bits == 32:
                return 0, 5, None, text, 0, 0
            return 0, 4, 0x25, text, 0, 0
        if shape == 'sp':
            disp = rnd.randrange(0, 96) & -16
            form.target = None
            form.stack_target = disp
            return 1, 4, 0x24, hexes([disp]), 0, 0
        scale = rnd.randrange(4)
        if shape == 'index':
            index = rnd.choice(free)
            value = rnd.randrange(16)
            form.register(index, value)
            text = self.absolute(f'differ_buf + {off - (value << scale)}')
            return 0, 4, scale << 6 | (index & 7) << 3 | 5, text, index, 0
        base = rnd.choice([r for r in free if shape != 'base' or r & 7 != BP])
        disp, mod, text = 0, 0, ''
        if shape.endswith('8'):
            disp, mod = rnd.randrange(-128, 128), 1
            text = hexes([disp & 255])
        elif shape.endswith('32'):
            disp, mod = rnd.randrange(-1 << 31, 1 << 31), 2
            text = f'\t.long {disp & 0xffffffff:#x}'
        value, index, sib = 0, 0, None
        rm = base & 7
        if shape.startswith('sib'):
            index = rnd.choice([r for r in free if r != base])
            value = rnd.randrange(16)
            form.register(index, value)
            sib = scale << 6 | (index & 7) << 3 | base & 7
            rm = 4
        elif rm == 4:
            sib = 0x24
        if bad is not None:
            form.register(base, str(bad - disp - (value << scale)))
        else:
            less = off - disp - (value << scale)
            form.register(base, 'differ_buf + '
                          f'{less & 0xffffffff if self.bits == 32 else less}')
        return mod, rm, sib, text, index, base

    def absolute(self, target):
        """A four-byte address, sign-extended on x86-64."""
        if self.bits == 32:
            return f'\t.long {target}'
        return f'\t.reloc ., R_X86_64_32S, {target}\n\t.long 0'

    def insn(self, name, opcode, size, shape, reg=None, imm=0, prefix=(),
             fixed=None, align=1, avoid=(), bad=None, escape=(), wide=None,
             vector=False, vex=None, flags='', kind=None, rm=None, **how):
        """An instruction with a ModRM byte.

        @size: of its operands; @reg: what the byte has in bits 3-5, None: any
        register; @rm: the same for the register in bits 0-2; @imm: bytes of an
        immediate value, or itself; @fixed: registers that have to have a value; @align: of
        memory; @bad: an address that faults; @escape: what is before the opcode;
        @wide: REX.W, if not by size; @kind: what a register in bits 0-2 has to
        hold; @vex: (map, pp, number of the second source or None).
        """
        rnd, fixed = self.rnd, dict(fixed or {})
        form = Form(name, flags=flags, **how)
        wide = size == 64 if wide is None else wide
        rex = self.bits == 64 and (wide or bool(vex) or rnd.random() < 0.5)
        for r, value in fixed.items():
            form.register(r, value)
        if reg is None:
            reg = self.register(32 if vector else size, rex, avoid)
        mod, sib, text, index, base = 3, None, '', 0, 0
        form.target = None
        if shape == 'reg':
            if rm is None:
                rm = self.register(32 if vector else size, rex,
                                   set(avoid) | set(fixed))
            base = rm
            if kind is not None:
                form.register(base, kind)
            rm &= 7
        else:
            mod, rm, sib, text, index, base = self.operand(
                form, shape, rex, set(fixed), align, bad)
            if kind is not None and form.target:
                form.memory(form.target, kind)
            elif kind is not None:
                form.stack(form.stack_target, kind)
        out = list(prefix)
        if rnd.random() < 0.1 and not vex:
            out.insert(0, rnd.choice((0x2e, 0x3e, 0x26, 0x36)))
        byte = 0x40 | wide << 3 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3
        if vex:
            out += self.vex(vex, wide, reg, index, base)
        else:
            # A prefix that is part of the opcode precedes REX.
            if rex:
                out.append(byte)
            out += escape
        out += [opcode, mod << 6 | (reg & 7) << 3 | rm]
        if sib is not None:
            out.append(sib)
        form.text = [hexes(out), text,
                     self.imm(imm) if isinstance(imm, int) else imm]
        return form

    def vex(self, vex, wide, reg, index, base):
        table, pp, source = vex
        if source is None:
            source = 0
        return [0xc4,
                (~reg >> 3 & 1) << 7 | (~index >> 3 & 1) << 6 |
                (~base >> 3 & 1) << 5 | table,
                wide << 7 | (~source & 15) << 3 | pp]

    def short(self, name, opcodes, size=32, imm=0, prefix=(), fixed=None,
              wide=None, plus=False, text=None, flags='', **how):
        """An instruction without a ModRM byte; @plus: with a register in it."""
        rnd, fixed = self.rnd, dict(fixed or {})
        form = Form(name, flags=flags, **how)
        form.target = None
        for r, value in fixed.items():
            form.register(r, value)
        out, opcodes = list(prefix), list(opcodes)
        wide = size == 64 if wide is None else wide
        rex = self.bits == 64 and (wide or plus and rnd.random() < 0.5)
        byte = 0x40 | wide << 3
        if plus:
            number = self.register(size, rex)
            opcodes[-1] |= number & 7
            byte |= number >> 3
        if rex:
            out.append(byte)
        form.text = [hexes(out + opcodes),
                     self.imm(imm) if text is None else text]
        return form


# The following functions yield forms.

def arithmetic(m):
    """00-3F, 80-83, 84-8B, C6, C7, D0-D3, C0, C1, F6, F7, FE, FF."""
    for op in range(8):
        for shape in m.shapes:
            for size in (8, *m.sizes):
                pre = m.size_prefix(size)
                wide = size != 8
                lock = ([0xf0] if shape != 'reg' and op != 7 and
                        m.rnd.random() < 0.3 else [])
                yield m.insn(
                        'alu', op << 3 | wide, size, shape, prefix=lock + pre)
                yield m.insn('alu', op << 3 | 2 | wide, size, shape, prefix=pre)
                n = 1 if size == 8 else 2 if size == 16 else 4
                yield m.insn('alu-imm', 0x80 | wide, size, shape, reg=op, imm=n,
                             prefix=lock + pre)
                if wide:
                    yield m.insn('alu-imm', 0x83, size, shape, reg=op, imm=1,
                               prefix=pre)
        for size in (8, *m.sizes):
            n = 1 if size == 8 else 2 if size == 16 else 4
            yield m.short('alu-acc', [op << 3 | 4 | (size != 8)], size, imm=n,
                          prefix=m.size_prefix(size))


def data(m):
    """Moves, tests, exchanges, unary operations, shifts."""
    for shape in m.shapes:
        for size in (8, *m.sizes):
            pre, w = m.size_prefix(size), int(size != 8)
            n = 1 if size == 8 else 2 if size == 16 else 4
            for op in (0x84, 0x86, 0x88, 0x8a):
                yield m.insn('mov', op | w, size, shape, prefix=pre)
            yield m.insn(
                'mov-imm', 0xc6 | w, size, shape, reg=0, imm=n, prefix=pre)
            yield m.insn(
                'test-imm', 0xf6 | w, size, shape, reg=0, imm=n, prefix=pre)
            for op in (2, 3):
                yield m.insn('unary', 0xf6 | w, size, shape, reg=op, prefix=pre)
            for op in (4, 5):
                yield m.insn('mul', 0xf6 | w, size, shape, reg=op, prefix=pre)
            for op in (6, 7):
                yield m.insn('div', 0xf6 | w, size, shape, reg=op, prefix=pre,
                           flags='fault')
            for op in (0, 1):
                yield m.insn('inc', 0xfe | w, size, shape, reg=op, prefix=pre)
            for op in range(8):
                yield m.insn('shift', 0xd0 | w, size, shape, reg=op, prefix=pre)
                yield m.insn('shift-cl', 0xd2 | w, size, shape, reg=op,
                           prefix=pre)
                yield m.insn('shift-imm', 0xc0 | w, size, shape, reg=op, imm=1,
                           prefix=pre)
            if w:
                yield m.insn('imul', 0x69, size, shape, imm=n, prefix=pre)
                yield m.insn('imul', 0x6b, size, shape, imm=1, prefix=pre)
                if shape != 'reg':
                    yield m.insn('lea', 0x8d, size, shape, prefix=pre)
                    yield m.insn('lea-67', 0x8d, size,
                                 'base' if m.bits == 32 else shape,
                                 prefix=pre + [0x67] if m.bits == 64 else pre)
                    yield m.insn(
                        'lea-fs', 0x8d, size, shape, prefix=[0x64] + pre)
        for segment in range(6):
            yield m.insn('mov-from-seg', 0x8c, 32, shape, reg=segment)
        # Null and flat segments: load their present value, or a similar one.
        for segment in (0, 3):
            for value in ((0, 0x18, 0x2b) if m.bits == 64 else (0x68, 0x7b)):
                yield m.insn(
                    'mov-to-seg', 0x8e, 32, shape, reg=segment, kind=value)
        # Beyond the end of the descriptor table.
        yield m.insn(
            'mov-to-seg', 0x8e, 32, shape, reg=3, kind=0xff08, flags='fault')
        if m.bits == 64:
            yield m.insn('movsxd', 0x63, 64, shape)
            yield m.insn('movsxd', 0x63, 32, shape)
        else:
            yield m.insn('arpl', 0x63, 32, shape)
    for size in (8, *m.sizes):
        w, pre = int(size != 8), m.size_prefix(size)
        yield m.short('test-acc', [0xa8 | w], size, prefix=pre,
                      imm=1 if size == 8 else 2 if size == 16 else 4)
        for op in (0xa0, 0xa2):
            yield m.short(
                'moffs', [op | w], size, prefix=pre,
                text=f'\t.{"quad" if m.bits == 64 else "long"} differ_buf + '
                     f'{m.rnd.randrange(64, 400)}')
        yield m.short('mov-imm', [0xb8 if w else 0xb0], size, prefix=pre,
                      plus=True, imm=size // 8)
        if w:
            yield m.short('xchg-acc', [0x90], size, prefix=pre, plus=True)
            yield m.short('cbw', [0x98], size, prefix=pre)
            yield m.short('cwd', [0x99], size, prefix=pre)


def two_byte(m):
    """0F: general registers."""
    e = [0x0f]
    for shape in m.shapes:
        memory = shape != 'reg'
        for op in range(0x90, 0xa0):
            yield m.insn('setcc', op, 8, shape, escape=e, reg=0)
        for size in m.sizes:
            pre = m.size_prefix(size)
            for op in range(0x40, 0x50):
                yield m.insn('cmov', op, size, shape, escape=e, prefix=pre)
            for op, name in ((0xaf, 'imul'), (0xb6, 'movzx'), (0xb7, 'movzx'),
                             (0xbe, 'movsx'), (0xbf, 'movsx'), (0xbc, 'bsf'),
                             (0xbd, 'bsr'), (0xb1, 'cmpxchg'), (0xc1, 'xadd'),
                             (0xa5, 'shld'), (0xad, 'shrd'), (0x02, 'lar'),
                             (0x03, 'lsl')):
                # A byte source may be SPL, a part of the stack pointer.
                lock = ([0xf0] if memory and op in (0xb1, 0xc1) and
                        m.rnd.random() < 0.4 else [])
                yield m.insn(name, op, size, shape, escape=e, prefix=lock + pre)
            for op, name in ((0xb8, 'popcnt'), (0xbc, 'tzcnt'),
                             (0xbd, 'lzcnt')):
                yield m.insn(name, op, size, shape, escape=e, prefix=pre + [0xf3])
            for op in (0xa4, 0xac):
                yield m.insn(
                    'shld', op, size, shape, escape=e, prefix=pre, imm=1)
            for op in (0xa3, 0xab, 0xb3, 0xbb):
                # A register's bit offset may exceed the operand only in memory.
                lock = ([0xf0] if memory and op != 0xa3 and
                        m.rnd.random() < 0.4 else [])
                yield bit(m, op, size, shape, lock + pre)
            for op in range(4, 8):
                yield m.insn('bt-imm', 0xba, size, shape, reg=op, escape=e,
                             prefix=pre, imm=1)
        for op, name in ((0xb0, 'cmpxchg'), (0xc0, 'xadd')):
            yield m.insn(name, op, 8, shape, escape=e)
        for op in (0, 1):
            yield m.insn('sldt', 0x00, 32, shape, reg=op, escape=e)
        for op in (4, 5):
            yield m.insn('verr', 0x00, 32, shape, reg=op, escape=e)
        yield m.insn('smsw', 0x01, 32, shape, reg=4, escape=e)
        for op in range(0x19, 0x20):
            yield m.insn('nop', op, 32, shape, escape=e)
        if memory:
            for op in (0, 1):
                yield m.insn('sgdt', 0x01, 32, shape, reg=op, escape=e)
            for op in range(4):
                yield m.insn('prefetch', 0x18, 32, shape, reg=op, escape=e)
            yield m.insn('prefetchw', 0x0d, 32, shape, reg=1, escape=e)
            yield m.insn('clflush', 0xae, 32, shape, reg=7, escape=e)
            for size in m.sizes[1:]:
                yield m.insn('movnti', 0xc3, size, shape, escape=e)
                lock = [0xf0] if m.rnd.random() < 0.5 else []
                yield m.insn('cmpxchg8b', 0xc7, size, shape, reg=1, escape=e,
                             align=16, prefix=lock)
    for op in (5, 6, 7):
        yield m.insn('fence', 0xae, 32, 'reg', reg=op, rm=0, escape=e)
    for size in m.sizes[1:]:
        yield m.short('bswap', [0x0f, 0xc8], size, plus=True)
    for leaf in (0, 1, 7, 0x80000000):
        yield m.short('cpuid', [0x0f, 0xa2], fixed={0: leaf, 1: 0})
    yield m.short('xgetbv', [0x0f, 0x01, 0xd0], fixed={1: 0})
    yield m.short('clac', [0x0f, 0x01, 0xca])
    yield m.short('stac', [0x0f, 0x01, 0xcb])
    yield m.short('endbr', [0xf3, 0x0f, 0x1e, 0xfa])
    if m.bits == 64:
        for op in (0, 1):
            yield m.insn('rdfsbase', 0xae, 64, 'reg', reg=op,
                                       escape=e, prefix=[0xf3])


def bit(m, op, size, shape, prefix):
    """BT and others with a register: use a small offset in memory."""
    if shape == 'reg':
        return m.insn('bt', op, size, shape, escape=[0x0f], prefix=prefix)
    reg = m.rnd.choice([r for r in range(8) if r != SP])
    # Memory below the stack pointer does not belong to the form.
    least = 0 if shape == 'sp' else -256
    return m.insn('bt', op, size, shape, reg=reg, escape=[0x0f], prefix=prefix,
                  fixed={reg: m.rnd.randrange(least, 256)})


def three_byte(m):
    """0F38 and 0F3A: general registers, with and without VEX."""
    for shape in m.shapes:
        for size in m.sizes:
            pre = m.size_prefix(size)
            if shape != 'reg':
                for op in (0xf0, 0xf1):
                    yield m.insn('movbe', op, size, shape, escape=[0x0f, 0x38],
                                 prefix=pre)
            yield m.insn('crc32', 0xf1, size, shape, escape=[0x0f, 0x38],
                         prefix=pre + [0xf2])
        yield m.insn('crc32', 0xf0, 8, shape, escape=[0x0f, 0x38],
                     prefix=[0xf2], avoid=range(4, 8))
        for size in m.sizes[1:]:
            # In 64-bit mode QEMU 7.2 adds whole registers and takes bits above
            # the 32-bit sum for flags.
            for prefix in (0x66, 0xf3) if size == m.bits else ():
                yield m.insn('adx', 0xf6, size, shape, escape=[0x0f, 0x38],
                             prefix=[prefix])
            for op, pp, name in ((0xf2, 0, 'andn'), (0xf5, 0, 'bzhi'),
                                 (0xf5, 2, 'pext'), (0xf5, 3, 'pdep'),
                                 (0xf6, 3, 'mulx'), (0xf7, 0, 'bextr'),
                                 (0xf7, 1, 'shlx'), (0xf7, 2, 'sarx'),
                                 (0xf7, 3, 'shrx')):
                yield m.insn(name, op, size, shape, vex=(2, pp, source(m)))
            for op in (1, 2, 3):
                yield m.insn(
                    'bls', 0xf3, size, shape, reg=op, vex=(2, 0, source(m)))
            yield m.insn('rorx', 0xf0, size, shape, imm=1, vex=(3, 3, None))


def source(m):
    return m.rnd.choice(m.registers)


def stack(m):
    """PUSH, POP, ENTER, LEAVE, flags, and loads of the stack pointer."""
    w = m.word
    wide = False
    yield m.short('push', [0x50], plus=True, wide=wide, pushed=w)
    yield m.short('push', [0x54], pushed=w)
    yield m.short('push-imm', [0x68], imm=4, pushed=w)
    yield m.short('push-imm', [0x6a], imm=1, pushed=w)
    yield m.short('push-16', [0x50], plus=True, wide=wide, pushed=2,
                          prefix=[0x66])
    yield m.short('push-imm-16', [0x68], imm=2, pushed=2, prefix=[0x66])
    yield m.short('pop', [0x58], plus=True, wide=wide)
    yield m.short('pop-16', [0x58], plus=True, wide=wide, prefix=[0x66])
    yield m.short('push-seg', [0x0f, 0xa0], pushed=w)
    yield m.short('push-seg', [0x0f, 0xa8], pushed=w)
    for shape in m.shapes:
        yield m.insn('push-mem', 0xff, 32, shape, reg=6, pushed=w)
        yield m.insn('pop-mem', 0x8f, 32, shape, reg=0)
    yield m.short('pushf', [0x9c], pushed=w)
    for value in (0x202, 0xad7, 0x246, 0x83, 0x200ad7, 0xed7, 0x2):
        yield with_stack(m.short('popf', [0x9d]), value)
    yield m.short('leave', [0xc9], fixed={BP: inside(m)})
    for level in range(4):
        yield m.short(
            'enter', [0xc8], pushed=w * (level + 1), fixed={BP: inside(m)},
            text=hexes([m.rnd.randrange(0, 64) & -8, 0, level]))
    size = m.bits
    for op in (0x89, 0x8b, 0x87):
        # MOV and XCHG of the stack pointer and another register.
        other = m.rnd.choice([r for r in range(8) if r != SP])
        reg, rm = (other, SP) if op != 0x8b else (SP, other)
        yield m.insn('mov-sp', op, size, 'reg', reg=reg, rm=rm,
                     fixed={other: inside(m)})
        if op != 0x87:
            yield m.insn('mov-sp', op, size, 'reg', reg=rm, rm=reg)
    yield m.insn('add-sp', 0x83, size, 'reg', reg=0, rm=SP,
                         imm=hexes([m.rnd.randrange(0, 128) & -8]))
    yield m.insn('sub-sp', 0x83, size, 'reg', reg=5, rm=SP,
                         imm=hexes([m.rnd.randrange(0, 128) & -8]))
    yield m.insn('and-sp', 0x83, size, 'reg', reg=4, rm=SP,
                         imm=hexes([m.rnd.choice((0xf0, 0xc0))]))
    yield m.insn('lea-sp', 0x8d, size, 'sp', reg=SP)
    yield with_stack(m.short('pop-sp', [0x5c]), inside(m))


def inside(m):
    """An address in the stack, above its start."""
    return f'differ_stack + {16384 - m.rnd.randrange(256, 640) & -16}'


def strings(m):
    for rep in (None, 0xf2, 0xf3):
        for count in ((0, 1, 3, 8) if rep else (5,)):
            for op in (0xa4, 0xa6, 0xaa, 0xac, 0xae):
                for size in (8, *m.sizes):
                    pre = m.size_prefix(size) + ([rep] if rep else [])
                    yield m.short('string', [op | (size != 8)], size, prefix=pre,
                                flags='direction',
                                fixed={1: count,
                                       6: f'differ_buf + '
                                          f'{m.rnd.randrange(128, 256)}',
                                       7: f'differ_buf + '
                                          f'{m.rnd.randrange(256, 384)}'})
    # Access an unmapped page.
    for op in (0xa4, 0xaa, 0xac):
        yield m.short('string-fault', [op], prefix=[0xf3], flags='fault',
                      fixed={1: 8, 6: -0xff0,
                             7: -0xff0 if op == 0xaa else 'differ_buf + 64'})
    yield m.short('xlat', [0xd7], fixed={3: 'differ_buf + 64'})


def branches(m):
    near = [('t', '.Lt@'), ('b', '.Lb@')]
    w = m.word
    for _, to in near:
        for op in range(0x70, 0x80):
            yield m.short('jcc-short', [op], text=f'\t.byte {to} - .Le@')
        for op in range(0x80, 0x90):
            yield m.short('jcc-near', [0x0f, op], text=f'\t.long {to} - .Le@')
        for hint in (0x2e, 0x3e):
            yield m.short('jcc-hint', [m.rnd.randrange(0x70, 0x80)],
                          prefix=[hint], text=f'\t.byte {to} - .Le@')
        for op in range(0xe0, 0xe4):
            for value in (0, 1, 2, 1 << 31, (1 << m.bits) - 1, 1 << m.bits - 1):
                for pre in ([], [0x67]):
                    yield m.short('loop', [op], fixed={1: value}, prefix=pre,
                                  text=f'\t.byte {to} - .Le@')
        yield m.short('jmp', [0xeb], text=f'\t.byte {to} - .Le@')
        yield m.short('jmp', [0xe9], text=f'\t.long {to} - .Le@')
        yield m.short('call', [0xe8], pushed=w, text=f'\t.long {to} - .Le@')
        for shape in m.shapes:
            for op, pushed, name in ((2, w, 'call-ind'), (4, 0, 'jmp-ind')):
                for _ in range(3):
                    yield m.insn(name, 0xff, 32, shape, reg=op,
                                          kind=to, pushed=pushed)
        yield with_stack(m.short('ret', [0xc3]), to)
        size = m.rnd.randrange(0, 256) & -8
        yield with_stack(m.short('ret-imm', [0xc2], text=hexes([size, 0])), to)
        yield with_stack(m.short('ret-rep', [0xc3], prefix=[0xf3]), to)
    # A target that cannot be read.
    for bad in (-0xff0,) + ((-1 << 63,) if m.bits == 64 else ()):
        for op in (2, 4):
            for shape in ('base', 'disp8', 'disp32', 'sib8', 'sib32'):
                yield m.insn('branch-fault', 0xff, 32, shape, reg=op, bad=bad,
                             flags='fault')


def with_stack(form, value):
    form.stack(0, value)
    return form


def flags(m):
    for op, name in ((0x90, 'nop'), (0x9b, 'fwait'), (0x9e, 'sahf'),
                     (0x9f, 'lahf'), (0xf5, 'cmc'), (0xf8, 'clc'),
                     (0xf9, 'stc'), (0xfa, 'cli'), (0xfb, 'sti'),
                     (0xfc, 'cld'), (0xfd, 'std')):
        for _ in range(2):
            yield m.short(name, [op])
    yield m.short('pause', [0x90], prefix=[0xf3])
    yield m.short('nop-66', [0x90], prefix=[0x66])
    if m.bits == 64:
        yield m.short('nop-rex', [0x90], prefix=[0x48])


def only_32(m):
    """Instructions that x86-64 lacks, and INC and DEC in place of REX."""
    for op in (0x27, 0x2f, 0x37, 0x3f, 0xd6):
        for _ in range(3):
            yield m.short('decimal', [op])
    for op in (0xd4, 0xd5):
        for value in (10, 16, 255, 0):
            yield m.short('aam', [op], text=hexes([value]), flags='fault')
    for op in (0x40, 0x48):
        for pre in ([], [0x66]):
            yield m.short('inc-short', [op], plus=True, prefix=pre)
    for op in range(8):
        for shape in m.shapes:
            yield m.insn('alu-82', 0x82, 8, shape, reg=op, imm=1)
    yield m.short('pusha', [0x60], pushed=32)
    yield m.short('pusha', [0x60], pushed=16, prefix=[0x66])
    yield m.short('popa', [0x61])
    yield m.short('popa', [0x61], prefix=[0x66])
    for op in (0x06, 0x0e, 0x16, 0x1e):
        yield m.short('push-seg', [op], pushed=4)
    for value in (0x68, 0x7b):
        yield with_stack(m.short('pop-seg', [0x1f]), value)


# 0F: vector opcodes, by allowed operands in bits 0-2.
ANY = [0x10, 0x11, 0x12, 0x14, 0x15, 0x16, 0x28, 0x29, 0x2a, 0x2c, 0x2d, 0x2e,
       0x2f, 0x51, 0x52, 0x53, *range(0x54, 0x71), 0x74, 0x75, 0x76, 0x7c, 0x7d,
       0x7e, 0x7f, *range(0xd0, 0xd7), *range(0xd8, 0xe7), *range(0xe8, 0xf0),
       *range(0xf1, 0xf7), *range(0xf8, 0xff)]
MEMORY_ONLY = [0x13, 0x17, 0x2b, 0xe7]
REGISTER_ONLY = [0x50, 0xd7]
WITH_IMM = [0x70, 0xc2, 0xc4, 0xc6]
ONLY_38 = [*range(0x00, 0x0c), 0x10, 0x14, 0x15, 0x17, 0x1c, 0x1d, 0x1e,
           *range(0x20, 0x26), 0x28, 0x29, 0x2b, *range(0x30, 0x36),
           *range(0x37, 0x42), *range(0xdb, 0xe0)]
ONLY_3A = [*range(0x08, 0x10), *range(0x14, 0x18), 0x20, 0x21, 0x22, 0x40, 0x41,
           0x42, 0x44, *range(0x60, 0x64), 0xdf]


def vectors(m):
    """SSE: a few shapes of each opcode."""
    def some():
        return m.rnd.sample(m.memory, 2) + (['rip'] if m.bits == 64 else ['abs'])

    def one(op, shape, prefix, imm, escape, name='sse'):
        return m.insn(name, op, 32, shape, prefix=prefix, imm=imm,
                              escape=escape, align=16, vector=True)
    for op in ANY + WITH_IMM + MEMORY_ONLY:
        for prefix in ([], [0x66], [0xf3], [0xf2]):
            for shape in some():
                yield one(op, shape, prefix, int(op in WITH_IMM), [0x0f])
    for op in REGISTER_ONLY:
        for prefix in ([], [0x66]):
            yield one(op, 'reg', prefix, 0, [0x0f])
    for op in ONLY_38:
        for shape in some():
            yield one(op, shape, [0x66], 0, [0x0f, 0x38])
    for op in ONLY_3A:
        for shape in some():
            yield one(op, shape, [0x66], 1, [0x0f, 0x3a])
    for op in range(0xd8, 0xe0):
        for reg in range(8):
            if (op, reg) in EXCLUDED['loads or stores the state of the FPU, '
                                     'and where its last one was'][0]:
                continue
            for shape in some():
                yield m.insn('x87', op, 32, shape, reg=reg)


def faults(m):
    """Operands that cannot be read or written."""
    addresses = (-0xff0,) + ((-1 << 63,) if m.bits == 64 else ())
    for bad in addresses:
        for shape in ('base', 'disp8', 'disp32', 'sib8', 'sib32'):
            for op in (0x01, 0x03, 0x39, 0x89, 0x8b, 0x87):
                yield m.insn('fault', op, 32, shape, bad=bad, flags='fault')
            for op in (0xb6, 0xb1, 0xc1, 0xaf, 0x44):
                yield m.insn('fault', op, 32, shape, bad=bad, flags='fault',
                             escape=[0x0f])
            for op, reg in ((0xff, 6), (0x8f, 0), (0xf7, 3), (0xff, 1)):
                yield m.insn(
                    'fault', op, 32, shape, bad=bad, reg=reg, flags='fault')
    # LOCK prefixes that are not allowed.
    for shape in ('reg', 'base', 'disp8'):
        for op in (0x8b, 0x39, 0x01 if shape == 'reg' else 0x03):
            yield m.insn(
                'lock-fault', op, 32, shape, prefix=[0xf0], flags='fault')


def forms(rnd, bits):
    m = Maker(rnd, bits)
    classes = [arithmetic, data, two_byte, three_byte, stack, strings, branches,
               flags, vectors, faults]
    if bits == 32:
        classes.append(only_32)
    for some in classes:
        yield from some(m)


def nops(rnd, size):
    """Bytes of no-ops, of one byte or more each."""
    known = {1: [0x90], 2: [0x66, 0x90], 3: [0x0f, 0x1f, 0x00],
             4: [0x0f, 0x1f, 0x40, 0x00], 5: [0x0f, 0x1f, 0x44, 0x00, 0x00]}
    out = []
    while size:
        n = rnd.choice([k for k in known if k <= size])
        out += known[n]
        size -= n
    return hexes(out)


def function(rnd, n, form):
    """The function around form number @n: see kprobe_differ.h."""
    name = f'differ_{n}'
    lines = ['\t.balign 16', f'\t.type {name}, @function', f'{name}:',
             f'.Lb{n}:\tjmp differ_exit_back',
             f'.Lm{n}:' + hexes([0x0f, 0x1f, 0x44, 0x00, 0x00]),
             '\tjmp differ_exit_bad',
             f'.Lj{n}:' + nops_one(rnd),
             f'.La{n}:', *(t.replace('@', str(n)) for t in form.text if t),
             f'.Le{n}:' + nops(rnd, 8),
             '\tjmp differ_exit_fall',
             f'.Lt{n}:\tjmp differ_exit_taken',
             f'\t.size {name}, . - {name}']
    if 'fault' in form.flags:
        lines.append(f'\t_ASM_EXTABLE_FAULT(.La{n}, differ_fixup)')
    return '\n'.join(lines)


def nops_one(rnd):
    """One no-op that is shorter than a jump."""
    return hexes(rnd.choice(([0x90], [0x66, 0x90], [0x0f, 0x1f, 0x00],
                             [0x0f, 0x1f, 0x40, 0x00])))


HEAD = '#include <asm/asm.h>'
