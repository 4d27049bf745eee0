/// The JSON Schemas and the AsyncAPI document of all topics, made of the records and their docs.
@NullMarked
package io.berth.contracts.schema;

import org.jspecify.annotations.NullMarked;
