// SPDX-License-Identifier: Apache-2.0
//
// Functions in double precision: options by Black and Scholes with erfc, then Bessel-like series with sincos and pow whose
// arguments are large enough for the slow reductions here and there.
#include "../app.h"

__host__ __device__ inline double option(double price, double strike, double years) {
    const double rate = 0.02, volatility = 0.3, root = sqrt(years);
    const double d1 = (log(price / strike) + (rate + 0.5 * volatility * volatility) * years) / (volatility * root), d2 = d1 - volatility * root;
    return price * 0.5 * erfc(-d1 * 0.70710678118654752) - strike * exp(-rate * years) * 0.5 * erfc(-d2 * 0.70710678118654752);
}

__host__ __device__ inline double series(double x) {
    double sum = 0;
    for (int k = 1; k <= 4; ++k) {
        double s, c;
#ifdef __CUDA_ARCH__
        sincos(x * k * k, &s, &c);
#else
        s = std::sin(x * k * k), c = std::cos(x * k * k);
#endif
        sum += s * pow(fabs(c) + 0.5, 1.0 / k) + cbrt(x + k) + atan2(s, c + 2.0);
    }
    return sum;
}

__global__ void options(const double* prices, const double* strikes, const double* years, double* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = option(prices[i], strikes[i], years[i]);
}

__global__ void sums(const double* x, double* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = series(x[i]);
}

int main(int argc, char** argv) {
    app::App app(argc, argv);
    const int count = app.size(8192, 65536);
    const auto n = static_cast<std::size_t>(count);
    auto random = app::floats(4 * n, 13, 0.0f, 1.0f);
    std::vector<double> price(n), strike(n), years(n), x(n), want(n), want_sums(n);
    for (std::size_t i = 0; i < n; ++i) {
        price[i] = 10 + 50.0 * random[4 * i], strike[i] = 10 + 50.0 * random[4 * i + 1], years[i] = 0.1 + 5.0 * random[4 * i + 2];
        x[i] = (i % 97 == 0 ? 1e6 : 100.0) * random[4 * i + 3];
        want[i] = option(price[i], strike[i], years[i]), want_sums[i] = series(x[i]);
    }
    app::Buffer<double> p(price), s(strike), y(years), at(x), out(n), summed(n);
    options<<<app::blocks(count, 128), 128>>>(p.get(), s.get(), y.get(), out.get(), count);
    bench::finish();
    sums<<<app::blocks(count, 128), 128>>>(at.get(), summed.get(), count);
    bench::finish();
    app.check(out.download(), want, 1e-11);
    app.check(summed.download(), want_sums, 1e-9);
    return app.finish();
}
