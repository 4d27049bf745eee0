/// What accounting makes of events, for simulations.
package io.berth.accounting.db;
