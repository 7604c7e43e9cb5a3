#pragma once
// StateSaver, StateLoader: a value to bytes and back, by the one list of fields that each struct has: a
// function `fields(archive, value)` found beside the struct's type (model/state_fields.h,
// sim/world_fields.h).

#include <array>
#include <optional>
#include <type_traits>
#include <variant>

#include "model/api_versions.h"
#include "model/byte_codec.h"
#include "model/types.h"

namespace mirrorproof {

template <class S, class T>
concept Is = std::is_same_v<std::remove_const_t<S>, T>;

template <class T>
concept Container = requires(T& container) {
  container.size();
  container.resize(1);
  container.begin();
};

class StateSaver {
 public:
  static constexpr bool kLoading = false;

  explicit StateSaver(ByteWriter& out) : out_(out) {}

  template <class... T>
  void operator()(const T&... values) {
    (save(values), ...);
  }

 private:
  template <class T>
  [[gnu::always_inline]] void save(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      out_.byte(value ? 1 : 0);
    } else if constexpr (std::is_enum_v<T>) {
      out_.integer(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_unsigned_v<T>) {
      out_.number(value);
    } else if constexpr (std::is_integral_v<T>) {
      out_.integer(value);
    } else if constexpr (Container<const T> || Container<T>) {
      save_elements(value);
    } else {
      save_other(value);
    }
  }
  template <class T>
  void save_elements(const T& values) {
    out_.number(values.size());
    for (const auto& element : values) {
      save(element);
    }
  }
  template <class T>
  void save_other(const T& value) {
    fields(*this, value);
  }
  template <class T>
  void save_other(const std::optional<T>& value) {
    save(value.has_value());
    if (value) {
      save(*value);
    }
  }
  template <class T, std::size_t N>
  void save_other(const std::array<T, N>& values) {
    for (const T& value : values) {
      save(value);
    }
  }
  template <class... T>
  void save_other(const std::variant<T...>& value) {
    out_.number(value.index());
    std::visit([&](const auto& held) { save(held); }, value);
  }
  void save_other(BrokerSet set) { out_.number(set.bits); }
  void save_other(KafkaVersion version) { out_.integer(version.index); }
  void save_other(RecordId id) {
    out_.number(static_cast<std::uint64_t>(id.origin() + 1));
    out_.number(id.serial());
  }

  ByteWriter& out_;
};

class StateLoader {
 public:
  static constexpr bool kLoading = true;

  explicit StateLoader(ByteReader& in) : in_(in) {}

  template <class... T>
  void operator()(T&... values) {
    (load(values), ...);
  }

 private:
  template <class T>
  [[gnu::always_inline]] void load(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = in_.byte() != 0;
    } else if constexpr (std::is_unsigned_v<T>) {
      value = static_cast<T>(in_.number());
    } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      value = static_cast<T>(in_.integer());
    } else if constexpr (Container<T>) {
      load_elements(value);
    } else {
      load_other(value);
    }
  }
  template <class T>
  void load_elements(T& values) {
    values.resize(static_cast<std::size_t>(in_.number()));
    for (auto& element : values) {
      load(element);
    }
  }
  template <class T>
  void load_other(T& value) {
    fields(*this, value);
  }
  template <class T>
  void load_other(std::optional<T>& value) {
    if (in_.byte() == 0) {
      value.reset();
      return;
    }
    if (!value) {
      value.emplace(T{});
    }
    load(*value);
  }
  template <class T, std::size_t N>
  void load_other(std::array<T, N>& values) {
    for (T& value : values) {
      load(value);
    }
  }
  template <class... T>
  void load_other(std::variant<T...>& value) {
    load_alternative(value, static_cast<std::size_t>(in_.number()), std::index_sequence_for<T...>());
  }
  template <class Variant, std::size_t... I>
  void load_alternative(Variant& value, std::size_t index, std::index_sequence<I...>) {
    const auto load_if = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
      if (index == N) {
        if (value.index() != N) {
          value.template emplace<N>();
        }
        load(std::get<N>(value));
      }
    };
    (load_if(std::integral_constant<std::size_t, I>()), ...);
  }
  void load_other(BrokerSet& set) { set.bits = static_cast<std::uint32_t>(in_.number()); }
  void load_other(KafkaVersion& version) { version.index = static_cast<std::int8_t>(in_.integer()); }
  void load_other(RecordId& id) {
    const auto origin = static_cast<ClusterId>(static_cast<int>(in_.number()) - 1);
    id = RecordId::make(origin, in_.number());
  }

  ByteReader& in_;
};

}  // namespace mirrorproof
