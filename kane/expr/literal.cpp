#include "kane/expr/literal.hpp"

#include "kane/expr/print.hpp"

namespace kane {

Literal literal(const Expr& e, const LiteralOptions& options) {
  Literal result;
  (void)options;
  result.text = to_text(e);
  result.latex = to_latex(e);
  return result;
}

}  // namespace kane
