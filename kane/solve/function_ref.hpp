#pragma once
// A borrowed callable: two words, no allocation. For callbacks that are used during a call and not kept. (Callbacks
// that are kept, like the right-hand side of an integrator, are std::functions, so that they cannot dangle.)

#include <memory>
#include <type_traits>
#include <utility>

namespace kane {

template <class Signature>
class FunctionRef;

template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> && std::is_object_v<std::remove_reference_t<F>> &&
           std::is_invocable_r_v<Result, F&, Args...>) FunctionRef(F&& f)
  noexcept  // NOLINT: implicit on purpose, a lambda is passed as it is
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Args... args) -> Result {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}

  Result operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  Result (*call_)(void*, Args...);
};

}  // namespace kane
