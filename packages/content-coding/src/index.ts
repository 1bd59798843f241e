/** What the services import. Behind `./etag` and `./media-type` is what needs no zlib, which takes memory. */
export { CodedContent, type CodedReply } from './coded-content.ts'
export { chooseCoding, type Coding } from './coding.ts'
