/** What the services import. */
export { CodedContent, type CodedReply } from './coded-content.ts'
export { chooseCoding, type Coding } from './coding.ts'
export { etagOf, isKnown } from './etag.ts'
export { chooseMediaType, type Offer } from './media-type.ts'
