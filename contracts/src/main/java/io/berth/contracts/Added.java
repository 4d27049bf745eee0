package io.berth.contracts;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// A list or map of an event that earlier writers did not have: where it is missing, the record's
/// compact constructor is given null and makes its default of it.
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Added {}
