/**
 * Options with some of their fields in another way. The others are those of the original at any moment: who is listened
 * to changes with the levels of the log. Whoever takes fields of such options names them: a rest or a spread has only
 * those that differ.
 */
export function optionsOver<Options extends object, Own extends object>(options: Options, own: Own): Options & Own {
  return Object.assign(Object.create(options) as Options, own)
}
