#include "apps/kane/campbell_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/base/output_mark.hpp"

namespace kane {
namespace {

constexpr double kPictureWidth = 760, kPictureHeight = 520, kLeft = 76, kRight = 40, kTop = 40, kBottom = 56;
constexpr const char* kColors[] = {"#2f6fb2", "#d9731a", "#3a9a4a", "#7e57a8",
                                   "#8a5a44", "#c45a9c", "#5f6b76", "#a3a02a"};
constexpr const char* kGrows = "#c9403a";

/// 1, 2 or 5 times a power of ten, for about `count` steps.
double nice_step(double span, double count) {
  const double raw = span / count, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double k : {1.0, 2.0, 5.0})
    if (k * power >= raw * 0.999) return k * power;
  return 10 * power;
}

std::string escaped_text(const std::string& text) {
  std::string r;
  for (const char c : text) r += c == '&' ? std::string("&amp;") : c == '<' ? std::string("&lt;") : std::string(1, c);
  return r;
}

class CampbellPicture {
 public:
  CampbellPicture(const RootLocus& locus, const std::vector<double>& orders) : l_(locus), orders_(orders) {
    const auto [low, high] = std::minmax_element(l_.values.begin(), l_.values.end());
    x0_ = *low, x1_ = *high > *low ? *high : *low + 1;
    double top = 0;
    for (std::size_t i = 0; i < l_.values.size(); ++i)
      for (const auto& s : l_.eigenvalues[i]) top = std::max(top, s.imag());
    y1_ = top > 0 ? 1.05 * top : 1;
  }

  std::string draw() {
    svg_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "font-family=\"sans-serif\" font-size=\"13\">\n<desc>{2}</desc>\n<rect width=\"{0}\" height=\"{1}\" "
        "fill=\"white\"/>\n",
        kPictureWidth, kPictureHeight, kOutputWords);
    text(kPictureWidth / 2, 22, "middle", fmt::format("{}: frequencies over {}", l_.summary.model, l_.name), "#222");
    axes();
    for (const double order : orders_) ray(order);
    const std::size_t branches = l_.eigenvalues.front().size();
    std::size_t color = 0;
    for (std::size_t k = 0; k < branches; ++k)
      if (oscillates(k)) branch(k, kColors[color++ % std::size(kColors)]);
    return svg_ + "</svg>\n";
  }

 private:
  [[nodiscard]] double px(double x) const { return kLeft + (x - x0_) / (x1_ - x0_) * (kPictureWidth - kLeft - kRight); }
  [[nodiscard]] double py(double y) const {
    return kPictureHeight - kBottom - y / y1_ * (kPictureHeight - kTop - kBottom);
  }

  void text(double x, double y, const char* anchor, const std::string& words, const char* color) {
    svg_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", x, y, anchor,
                        color, escaped_text(words));
  }
  void line(double xa, double ya, double xb, double yb, const char* style) {
    svg_ += fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" {}/>\n", xa, ya, xb, yb, style);
  }

  void axes() {
    constexpr const char* kGrid = "stroke=\"#ddd\"";
    const double dx = nice_step(x1_ - x0_, 8), dy = nice_step(y1_, 8);
    for (double k = std::ceil(x0_ / dx - 1e-9); k * dx <= x1_ + 1e-9 * dx; ++k) {
      line(px(k * dx), py(0), px(k * dx), py(y1_), kGrid);
      text(px(k * dx), py(0) + 18, "middle", fmt::format("{:.6g}", k * dx), "#555");
    }
    for (double k = 0; k * dy <= y1_; ++k) {
      line(px(x0_), py(k * dy), px(x1_), py(k * dy), kGrid);
      text(px(x0_) - 8, py(k * dy) + 4, "end", fmt::format("{:.6g}", k * dy), "#555");
    }
    svg_ += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#888\"/>\n", px(x0_),
        py(y1_), px(x1_) - px(x0_), py(0) - py(y1_));
    text(kPictureWidth / 2, kPictureHeight - 14, "middle", l_.name, "#222");
    text(kLeft - 60, kTop - 10, "start", "rad/s", "#222");
  }

  void ray(double order) {
    double xa = x0_, xb = x1_;
    if (order > 0) {
      xa = std::max(xa, 0.0), xb = std::min(xb, y1_ / order);
      if (xa >= xb) return;
    }
    line(px(xa), py(order * xa), px(xb), py(order * xb), "stroke=\"#999\" stroke-dasharray=\"5 4\"");
    text(px(xb) - 4, py(order * xb) + 14, "end", fmt::format("{:g}x", order), "#777");
  }

  /// Whether the branch is one of positive frequencies, above its conjugate.
  [[nodiscard]] bool oscillates(std::size_t k) const {
    for (std::size_t i = 0; i < l_.values.size(); ++i)
      if (k < l_.eigenvalues[i].size() && l_.eigenvalues[i][k].imag() > l_.modes[i].tolerance) return true;
    return false;
  }

  void branch(std::size_t k, const char* color) {
    for (std::size_t i = 0; i < l_.values.size(); ++i) {
      const auto s = l_.eigenvalues[i][k];
      if (s.imag() < 0) continue;
      const bool grows = s.real() > l_.modes[i].tolerance;
      const char* own = grows ? kGrows : color;
      if (i > 0 && l_.eigenvalues[i - 1][k].imag() >= 0)
        line(px(l_.values[i - 1]), py(l_.eigenvalues[i - 1][k].imag()), px(l_.values[i]), py(s.imag()),
             fmt::format("stroke=\"{}\" stroke-width=\"1.6\"", own).c_str());
      svg_ += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"2.2\" fill=\"{}\"/>\n", px(l_.values[i]),
                          py(s.imag()), own);
    }
  }

  const RootLocus& l_;
  const std::vector<double>& orders_;
  double x0_ = 0, x1_ = 1, y1_ = 1;
  std::string svg_;
};

}  // namespace

std::string draw_campbell(const RootLocus& locus, const std::vector<double>& orders) {
  require(!locus.values.empty(), "there is nothing to draw: the sweep reached no value");
  return CampbellPicture(locus, orders).draw();
}

}  // namespace kane
