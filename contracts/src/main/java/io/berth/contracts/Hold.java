package io.berth.contracts;

/// Who keeps a job from starting until he releases it.
public enum Hold {
    /// Its owner, or an operator on his behalf. Its owner may release it.
    USER,
    /// An operator. Only an operator may release it.
    ADMIN
}
