/**
 * Options with some of their fields replaced. All other fields are read from the original each time, because its
 * listeners change with the levels of the log. Take fields of such options by name: a rest or a spread has only those
 * that differ.
 */
export function optionsOver<Options extends object, Own extends object>(options: Options, own: Own): Options & Own {
  return Object.assign(Object.create(options) as Options, own)
}
