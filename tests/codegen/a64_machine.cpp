#include "a64_machine.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "kane/base/error.hpp"

namespace kane::test {

namespace {

constexpr std::uint64_t kStart = 0x400000;

// Entries of the table at kStart, 4 bytes each; the first is the start itself.
enum Entry : std::uint64_t {
  kSinCos = 1,
  kUnary,
  kBinary,
  kRoot,
  kUnaryLanes,
  kBinaryLanes,
  kRootLanes,
  kExternal,
  kExternalLanes
};

// Filled in: the entries of the stages and the size of the workspace in bytes.
constexpr const char* kProgram = R"(
        .macro  spoil
        movi    v31.2d, #0xffffffffffffffff
        .irp    r, v0.16b,v1.16b,v2.16b,v3.16b,v4.16b,v5.16b,v6.16b,v7.16b,v16.16b,v17.16b,v18.16b,v19.16b,v20.16b,v21.16b,v22.16b
        mov     \r, v31.16b
        .endr
        .irp    r, v23.16b,v24.16b,v25.16b,v26.16b,v27.16b,v28.16b,v29.16b,v30.16b
        mov     \r, v31.16b
        .endr
        .irp    r, v8.d[1],v9.d[1],v10.d[1],v11.d[1],v12.d[1],v13.d[1],v14.d[1],v15.d[1]
        mov     \r, v31.d[1]
        .endr
        .irp    r, x0,x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,x11,x12,x13,x14,x15,x16,x17
        mov     \r, #-1
        .endr
        .endm
        .macro  give_d0              // spoils all but the result
        str     d0, [sp, #-16]!
        spoil
        ldr     d0, [sp], #16
        ret
        .endm
        .text
        .global _start
_start: b       main
        b       sincos2
        b       unary
        b       binary
        b       root
        b       unary_lanes
        b       binary_lanes
        b       root_lanes
        b       external
        b       external_lanes

sincos2: fmul   v1.2d, v0.2d, v0.2d
        fadd    v2.2d, v0.2d, v0.2d
        stp     q1, q2, [x0]
        spoil
        ret
unary:  fmov    d1, #1.0
        fadd    d0, d0, d1
        give_d0
binary: fsub    d0, d0, d1
        give_d0
root:   scvtf   d1, w0
        fadd    d0, d0, d1
        give_d0
unary_lanes:
        ldr     q0, [x1]
        fmov    v1.2d, #1.0
        fadd    v0.2d, v0.2d, v1.2d
        str     q0, [x2]
        spoil
        ret
binary_lanes:
        ldr     q0, [x1]
        ldr     q1, [x2]
        fsub    v0.2d, v0.2d, v1.2d
        str     q0, [x3]
        spoil
        ret
root_lanes:
        ldr     q0, [x1]
        scvtf   d1, w0
        dup     v1.2d, v1.d[0]
        fadd    v0.2d, v0.2d, v1.2d
        str     q0, [x2]
        spoil
        ret
external:                            // the context says how many arguments there are
        fmov    d0, #7.0
        cbz     x1, 1f
        ldr     d0, [x0]
1:      fmov    d1, #2.0
        fadd    d0, d0, d1
        give_d0
external_lanes:
        fmov    v0.2d, #7.0
        cbz     x4, 1f
        ldr     q0, [x2]
1:      fmov    v1.2d, #2.0
        fadd    v0.2d, v0.2d, v1.2d
        str     q0, [x3]
        spoil
        ret

main:   ldr     x20, =workspace
        mov     x21, #0
read:   ldr     x2, ={1}
        sub     x2, x2, x21
        cbz     x2, run
        mov     x0, #0
        add     x1, x20, x21
        mov     x8, #63
        svc     #0
        cmp     x0, #0
        b.le    fail
        add     x21, x21, x0
        b       read
run:    .irp    r, 8,9,10,11,12,13,14,15
        fmov    d\r, #\r
        .endr
        .irp    entry, {0}
        mov     x0, x20
        ldr     x16, =code + \entry
        blr     x16
        .endr
        .irp    r, 8,9,10,11,12,13,14,15
        fmov    d0, #\r
        fcmp    d0, d\r
        b.ne    fail
        .endr
        mov     x0, #1
        mov     x1, x20
        ldr     x2, ={1}
        mov     x8, #64
        svc     #0
        mov     x0, #0
        b       exit
fail:   mov     x0, #3
exit:   mov     x8, #93
        svc     #0
        .ltorg
        .balign 64
code:   .incbin "code.bin"
        .bss
        .balign 64
workspace: .skip {1} + 64
)";

void run_command(const std::string& command) {
  const int result = std::system(command.c_str());
  ensure(result == 0, "'{}' gave {}", command, result);
}

std::uint64_t address(Entry entry) { return kStart + 4 * entry; }

}  // namespace

A64Machine::A64Machine() {
  std::string pattern = (std::filesystem::temp_directory_path() / "kane_a64_XXXXXX").string();
  ensure(mkdtemp(pattern.data()) != nullptr, "no folder for temporary files");
  folder_ = pattern;
}

A64Machine::~A64Machine() { std::filesystem::remove_all(folder_); }

bool A64Machine::is_there() {
  return std::system(
             "(command -v qemu-aarch64 && command -v aarch64-linux-gnu-as && command -v aarch64-linux-gnu-ld && "
             "command -v aarch64-linux-gnu-objdump) > /dev/null 2>&1") == 0;
}

Runtime A64Machine::runtime(const Program& program) {
  Runtime runtime;
  for (std::size_t code = 0; code < runtime.functions.size(); ++code) {
    const auto c = static_cast<Code>(code);
    runtime.functions[code] = address(c == Code::Root ? kRoot : c == Code::Atan2 || c == Code::Mod ? kBinary : kUnary);
  }
  runtime.sincos2[0] = address(kSinCos);
  runtime.unary_lanes = address(kUnaryLanes);
  runtime.binary_lanes = address(kBinaryLanes);
  runtime.root_lanes = address(kRootLanes);
  runtime.external_lanes = address(kExternalLanes);
  for (const ProgramFunction& f : program.functions)
    runtime.externals.push_back({reinterpret_cast<double (*)(const double*, void*)>(address(kExternal)),
                                 reinterpret_cast<void*>(static_cast<std::uintptr_t>(f.arity))});
  return runtime;
}

bool A64Machine::has_stand_in(Code code) {
  switch (code) {
    case Code::Root:
    case Code::Sin:
    case Code::Cos:
    case Code::Tan:
    case Code::Asin:
    case Code::Acos:
    case Code::Atan:
    case Code::Atan2:
    case Code::Sinh:
    case Code::Cosh:
    case Code::Tanh:
    case Code::Exp:
    case Code::Log:
    case Code::Mod: return true;
    default: return false;
  }
}

double A64Machine::stand_in(const Instruction& i, double a, double b) {
  switch (i.code) {
    case Code::Sin: return a * a;
    case Code::Cos: return a + a;
    case Code::Root: return a + static_cast<double>(i.b);
    case Code::Atan2:
    case Code::Mod: return a - b;
    default: return a + 1;
  }
}

void A64Machine::write_code(const GeneratedCode& code) const {
  std::ofstream(path("code.bin"), std::ios::binary)
      .write(reinterpret_cast<const char*>(code.code.bytes.data()),
             static_cast<std::streamsize>(code.code.bytes.size()));
}

std::vector<double> A64Machine::run(const GeneratedCode& code, const std::vector<double>& workspace) {
  write_code(code);
  const std::size_t bytes = workspace.size() * sizeof(double);
  std::ofstream(path("in.bin"), std::ios::binary)
      .write(reinterpret_cast<const char*>(workspace.data()), static_cast<std::streamsize>(bytes));
  const auto& entries = code.code.entries;
  std::ofstream(path("main.s")) << fmt::format(fmt::runtime(kProgram),
                                               fmt::format("{},{},{}", entries[0], entries[1], entries[2]), bytes);
  run_command(
      fmt::format("cd '{}' && aarch64-linux-gnu-as -o main.o main.s && aarch64-linux-gnu-ld -Ttext={:#x} -o main "
                  "main.o && qemu-aarch64 ./main < in.bin > out.bin",
                  folder_.string(), kStart));
  std::vector<double> result(workspace.size());
  std::ifstream(path("out.bin"), std::ios::binary)
      .read(reinterpret_cast<char*>(result.data()), static_cast<std::streamsize>(bytes));
  return result;
}

std::vector<std::string> A64Machine::disassemble(const GeneratedCode& code) {
  write_code(code);
  run_command(
      fmt::format("cd '{}' && aarch64-linux-gnu-objdump -D -b binary -m aarch64 --no-show-raw-insn -z code.bin > "
                  "code.txt",
                  folder_.string()));
  std::vector<std::string> lines;
  std::ifstream file(path("code.txt"));
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(":\t");
    if (colon != std::string::npos) lines.push_back(line.substr(colon + 2));
  }
  return lines;
}

}  // namespace kane::test
