#include <cmath>

#include "kane/solve/dense_output.hpp"
#include "kane/solve/dormand_prince.hpp"
#include "kane/solve/kernels.hpp"

// The coefficients are those of section II.5 and II.6 of Hairer, Norsett, Wanner, with the 30 digits of their code; the
// tests check the order conditions they have to satisfy.

namespace kane {

namespace {

constexpr ExplicitTraits kDop853Traits = {
    .order = 8, .error_exponent = 0.125, .memory = 0, .shrink = 0.333, .grow = 6, .stability = 6.1};

}  // namespace

DormandPrince853::DormandPrince853(std::size_t size, Rhs rhs, const AdaptiveOptions& options)
    : ExplicitAdaptive(size, std::move(rhs), options, kDop853Traits),
      k_(15 * padded_),
      stage_(padded_),
      error_(padded_),
      dense_(4 * padded_) {}

ExplicitAdaptive::Attempt DormandPrince853::attempt(double h) {
  const std::size_t n = padded_;
  const double* const y = y_.data();
  double* const Y = stage_.data();
  const double* const k1 = slope_.data();
  double* const k2 = k(2);
  double* const k3 = k(3);
  double* const k4 = k(4);
  double* const k5 = k(5);
  double* const k6 = k(6);
  double* const k7 = k(7);
  double* const k8 = k(8);
  double* const k9 = k(9);
  double* const k10 = k(10);
  double* const k11 = k(11);
  double* const k12 = k(12);
  using T = StageTerm;
  RhsStatus status = RhsStatus::Ok;
  const auto failed = [&](double c, const double* at, double* into) {
    status = evaluate(c == 1 ? t_next_ : t_ + c * h, at, into);
    return status != RhsStatus::Ok;
  };

  sums_(Y, y, h, n, T{5.26001519587677318785587544488e-2, k1});
  if (failed(0.526001519587677318785587544488e-1, Y, k2)) return {status};
  sums_(Y, y, h, n, T{1.97250569845378994544595329183e-2, k1}, T{5.91751709536136983633785987549e-2, k2});
  if (failed(0.789002279381515978178381316732e-1, Y, k3)) return {status};
  sums_(Y, y, h, n, T{2.95875854768068491816892993775e-2, k1}, T{8.87627564304205475450678981324e-2, k3});
  if (failed(0.118350341907227396726757197510, Y, k4)) return {status};
  sums_(Y, y, h, n, T{2.41365134159266685502369798665e-1, k1}, T{-8.84549479328286085344864962717e-1, k3},
        T{9.24834003261792003115737966543e-1, k4});
  if (failed(0.281649658092772603273242802490, Y, k5)) return {status};
  sums_(Y, y, h, n, T{3.7037037037037037037037037037e-2, k1}, T{1.70828608729473871279604482173e-1, k4},
        T{1.25467687566822425016691814123e-1, k5});
  if (failed(1.0 / 3, Y, k6)) return {status};
  sums_(Y, y, h, n, T{3.7109375e-2, k1}, T{1.70252211019544039314978060272e-1, k4},
        T{6.02165389804559606850219397283e-2, k5}, T{-1.7578125e-2, k6});
  if (failed(0.25, Y, k7)) return {status};
  sums_(Y, y, h, n, T{3.70920001185047927108779319836e-2, k1}, T{1.70383925712239993810214054705e-1, k4},
        T{1.07262030446373284651809199168e-1, k5}, T{-1.53194377486244017527936158236e-2, k6},
        T{8.27378916381402288758473766002e-3, k7});
  if (failed(4.0 / 13, Y, k8)) return {status};
  sums_(Y, y, h, n, T{6.24110958716075717114429577812e-1, k1}, T{-3.36089262944694129406857109825, k4},
        T{-8.68219346841726006818189891453e-1, k5}, T{2.75920996994467083049415600797e1, k6},
        T{2.01540675504778934086186788979e1, k7}, T{-4.34898841810699588477366255144e1, k8});
  if (failed(127.0 / 195, Y, k9)) return {status};
  sums_(Y, y, h, n, T{4.77662536438264365890433908527e-1, k1}, T{-2.48811461997166764192642586468, k4},
        T{-5.90290826836842996371446475743e-1, k5}, T{2.12300514481811942347288949897e1, k6},
        T{1.52792336328824235832596922938e1, k7}, T{-3.32882109689848629194453265587e1, k8},
        T{-2.03312017085086261358222928593e-2, k9});
  if (failed(0.6, Y, k10)) return {status};
  sums_(Y, y, h, n, T{-9.3714243008598732571704021658e-1, k1}, T{5.18637242884406370830023853209, k4},
        T{1.09143734899672957818500254654, k5}, T{-8.14978701074692612513997267357, k6},
        T{-1.85200656599969598641566180701e1, k7}, T{2.27394870993505042818970056734e1, k8},
        T{2.49360555267965238987089396762, k9}, T{-3.0467644718982195003823669022, k10});
  if (failed(6.0 / 7, Y, k11)) return {status};
  sums_(Y, y, h, n, T{2.27331014751653820792359768449, k1}, T{-1.05344954667372501984066689879e1, k4},
        T{-2.00087205822486249909675718444, k5}, T{-1.79589318631187989172765950534e1, k6},
        T{2.79488845294199600508499808837e1, k7}, T{-2.85899827713502369474065508674, k8},
        T{-8.87285693353062954433549289258, k9}, T{1.23605671757943030647266201528e1, k10},
        T{6.43392746015763530355970484046e-1, k11});
  if (failed(1, Y, k12)) return {status};
  sums_(y_next_.data(), y, h, n, T{5.42937341165687622380535766363e-2, k1}, T{4.45031289275240888144113950566, k6},
        T{1.89151789931450038304281599044, k7}, T{-5.8012039600105847814672114227, k8},
        T{3.1116436695781989440891606237e-1, k9}, T{-1.52160949662516078556178806805e-1, k10},
        T{2.01365400804030348374776537501e-1, k11}, T{4.47106157277725905176885569043e-2, k12});
  if (failed(1, y_next_.data(), slope_next_.data())) return {status};
  return {status, calc_error(h)};
}

// Two estimates, of order 5 and 3, combined so that the error behaves like h^8 (section II.10):
// err = |h| e5^2 / sqrt(e5^2 + 0.01 e3^2).
double DormandPrince853::calc_error(double h) {
  const std::size_t n = padded_;
  const double* const k1 = slope_.data();
  const double* const k6 = k(6);
  const double* const k7 = k(7);
  const double* const k8 = k(8);
  const double* const k9 = k(9);
  const double* const k10 = k(10);
  const double* const k11 = k(11);
  const double* const k12 = k(12);
  using T = StageTerm;
  double* const Y = error_.data();
  sums_(Y, 1, n, T{5.42937341165687622380535766363e-2 - 0.244094488188976377952755905512, k1},
        T{4.45031289275240888144113950566, k6}, T{1.89151789931450038304281599044, k7},
        T{-5.8012039600105847814672114227, k8},
        T{3.1116436695781989440891606237e-1 - 0.733846688281611857341361741547, k9},
        T{-1.52160949662516078556178806805e-1, k10}, T{2.01365400804030348374776537501e-1, k11},
        T{4.47106157277725905176885569043e-2 - 0.220588235294117647058823529412e-1, k12});
  const double e3 = scaled_square(Y);
  sums_(Y, 1, n, T{0.1312004499419488073250102996e-1, k1}, T{-0.1225156446376204440720569753e1, k6},
        T{-0.4957589496572501915214079952, k7}, T{0.1664377182454986536961530415e1, k8},
        T{-0.3503288487499736816886487290, k9}, T{0.3341791187130174790297318841, k10},
        T{0.8192320648511571246570742613e-1, k11}, T{-0.2235530786388629525884427845e-1, k12}, T{0.0, k(2)},
        T{0.0, k(3)}, T{0.0, k(4)}, T{0.0, k(5)}, T{0.0, slope_next_.data()});
  const double e5 = scaled_square(Y);
  const double both = e5 + 0.01 * e3;
  const double error = both > 0 ? std::abs(h) * e5 / std::sqrt(static_cast<double>(n_) * both) : both;
  if (!(error <= 1)) find_worst(Y);
  return error;
}

double DormandPrince853::estimate_lambda() {
  double slopes = 0, states = 0;
  const double* const k12 = k(12);
  for (std::size_t i = 0; i < n_; ++i) {
    slopes += (slope_next_[i] - k12[i]) * (slope_next_[i] - k12[i]);
    states += (y_next_[i] - stage_[i]) * (y_next_[i] - stage_[i]);
  }
  return states > 0 ? std::sqrt(slopes / states) : 0;
}

// Three more stages; beyond the cubic through both ends the continuous extension (section II.6) has the factor
// s^2 r^2 (d0 + s (d1 + r (d2 + s d3))), r = 1 - s.
StepStatus DormandPrince853::prepare_dense() {
  const std::size_t n = padded_;
  const double h = t_ - t_previous_;
  const double* const y = y_previous_.data();
  double* const Y = stage_.data();
  const double* const k1 = slope_previous_.data();
  const double* const k13 = slope_.data();
  const double* const k6 = k(6);
  const double* const k7 = k(7);
  const double* const k8 = k(8);
  const double* const k9 = k(9);
  const double* const k10 = k(10);
  const double* const k11 = k(11);
  const double* const k12 = k(12);
  double* const k14 = k(14);
  double* const k15 = k(15);
  double* const k16 = k(16);
  using T = StageTerm;
  sums_(Y, y, h, n, T{5.61675022830479523392909219681e-2, k1}, T{2.53500210216624811088794765333e-1, k7},
        T{-2.46239037470802489917441475441e-1, k8}, T{-1.24191423263816360469010140626e-1, k9},
        T{1.5329179827876569731206322685e-1, k10}, T{8.20105229563468988491666602057e-3, k11},
        T{7.56789766054569976138603589584e-3, k12}, T{-8.298e-3, k13});
  if (evaluate(t_previous_ + 0.1 * h, Y, k14) != RhsStatus::Ok) return rhs_failure();
  sums_(Y, y, h, n, T{3.18346481635021405060768473261e-2, k1}, T{2.83009096723667755288322961402e-2, k6},
        T{5.35419883074385676223797384372e-2, k7}, T{-5.49237485713909884646569340306e-2, k8},
        T{-1.08347328697249322858509316994e-4, k11}, T{3.82571090835658412954920192323e-4, k12},
        T{-3.40465008687404560802977114492e-4, k13}, T{1.41312443674632500278074618366e-1, k14});
  if (evaluate(t_previous_ + 0.2 * h, Y, k15) != RhsStatus::Ok) return rhs_failure();
  sums_(Y, y, h, n, T{-4.28896301583791923408573538692e-1, k1}, T{-4.69762141536116384314449447206, k6},
        T{7.68342119606259904184240953878, k7}, T{4.06898981839711007970213554331, k8},
        T{3.56727187455281109270669543021e-1, k9}, T{-1.39902416515901462129418009734e-3, k13},
        T{2.9475147891527723389556272149, k14}, T{-9.15095847217987001081870187138, k15});
  if (evaluate(t_previous_ + 7.0 / 9 * h, Y, k16) != RhsStatus::Ok) return rhs_failure();
  sums_(dense_.data(), h, n, T{-0.84289382761090128651353491142e1, k1}, T{0.56671495351937776962531783590, k6},
        T{-0.30689499459498916912797304727e1, k7}, T{0.23846676565120698287728149680e1, k8},
        T{0.21170345824450282767155149946e1, k9}, T{-0.87139158377797299206789907490, k10},
        T{0.22404374302607882758541771650e1, k11}, T{0.63157877876946881815570249290, k12},
        T{-0.88990336451333310820698117400e-1, k13}, T{0.18148505520854727256656404962e2, k14},
        T{-0.91946323924783554000451984436e1, k15}, T{-0.44360363875948939664310572000e1, k16});
  sums_(dense_.data() + n, h, n, T{0.10427508642579134603413151009e2, k1}, T{0.24228349177525818288430175319e3, k6},
        T{0.16520045171727028198505394887e3, k7}, T{-0.37454675472269020279518312152e3, k8},
        T{-0.22113666853125306036270938578e2, k9}, T{0.77334326684722638389603898808e1, k10},
        T{-0.30674084731089398182061213626e2, k11}, T{-0.93321305264302278729567221706e1, k12},
        T{0.15697238121770843886131091075e2, k13}, T{-0.31139403219565177677282850411e2, k14},
        T{-0.93529243588444783865713862664e1, k15}, T{0.35816841486394083752465898540e2, k16});
  sums_(dense_.data() + 2 * n, h, n, T{0.19985053242002433820987653617e2, k1},
        T{-0.38703730874935176555105901742e3, k6}, T{-0.18917813819516756882830838328e3, k7},
        T{0.52780815920542364900561016686e3, k8}, T{-0.11573902539959630126141871134e2, k9},
        T{0.68812326946963000169666922661e1, k10}, T{-0.10006050966910838403183860980e1, k11},
        T{0.77771377980534432092869265740, k12}, T{-0.27782057523535084065932004339e1, k13},
        T{-0.60196695231264120758267380846e2, k14}, T{0.84320405506677161018159903784e2, k15},
        T{0.11992291136182789328035130030e2, k16});
  sums_(dense_.data() + 3 * n, h, n, T{-0.25693933462703749003312586129e2, k1},
        T{-0.15418974869023643374053993627e3, k6}, T{-0.23152937917604549567536039109e3, k7},
        T{0.35763911791061412378285349910e3, k8}, T{0.93405324183624310003907691704e2, k9},
        T{-0.37458323136451633156875139351e2, k10}, T{0.10409964950896230045147246184e3, k11},
        T{0.29840293426660503123344363579e2, k12}, T{-0.43533456590011143754432175058e2, k13},
        T{0.96324553959188282948394950600e2, k14}, T{-0.39177261675615439165231486172e2, k15},
        T{-0.14972683625798562581422125276e3, k16});
  return StepStatus::Ok;
}

void DormandPrince853::evaluate_dense(double s, std::span<double> y) const {
  const std::size_t n = padded_;
  const double* const d = dense_.data();
  const double h = t_ - t_previous_, r = 1 - s;
  for (std::size_t i = 0; i < n_; ++i) {
    const double q = d[i] + s * (d[n + i] + r * (d[2 * n + i] + s * d[3 * n + i]));
    y[i] = interpolate_step(s, y_previous_[i], y_[i], h * slope_previous_[i], h * slope_[i], q);
  }
}

}  // namespace kane
