/**
 * Words of which databases make their messages in English, in lower case. They say nothing of a request: `redact.ts`
 * lets them stand even if a value has them too.
 */
const words = `
a about access after aggregate all allowed already ambiguous an and any are argument arguments array arrays as at
attach attached attempt automatic available be because been before between bigint binary boolean but by byte bytes call
called can cannot cast change changed character characters check circular class clause clauses code collation column
columns command commands complex composite conflict conflicting constraint constraints contain contains content context
conversion convert copy corrupt could create created current currently cursor cycle data database databases datatype date
deadlock declared default defined definition delete denied dependency depth detected determine dictionary different
dimensions directory disk distinct do does domain double drop duplicate during each element elements empty encoding end
entry enum error errors escape exceeded exceeds execute exist existing exists expected expression expressions extension
external failed few field fields file files filter first float following for foreign format found from full function
functions generated get got group grouping has hash have having identifier identity if implemented in incomplete
incorrect index indexes inherited input insert instead integer internal interval into invalid is it item join json jsonb
jsonpath key keys known label language large length less level like limit line list literal load local locale locked long
malformed many match matches materialized max maximum may memory message minimum misplaced missing mistake misuse mode
modified modify module more most multiple must name named names near needs negative never no non not null number numeric
object objects of off offset on one only open operation operator operators option options or order other out outer output
over overflow owner page parameter parameters parse parser parsing part partition path pattern permission point position
positive precision prefix prepared primary privilege privileges procedure prohibited protocol qualified query quotes
range rank read readonly real recognized record recursive reference referenced references regular relation relations
required requires reserved result returned returning returns right role row rowid rows rule same savepoint schema schemas
search second select sequence session set setting should single size small snapshot source special specification
specified sql start statement statements storage stored string strings subquery such support supported syntax system table
tables target temporary term text than that the there this time timestamp timestamptz timezone to token tokenizer too
transaction trigger triggers truncate type types unable unavailable unexpected union unique unknown unrecognized
unsupported unterminated update updated usage use used user using uuid value values varchar variable variables varying
version vfs view views violates virtual was were when where which while window with within without word write writing
wrong xml yet you zero zone
`

export const messageWords: ReadonlySet<string> = new Set(words.trim().split(/\s+/))
