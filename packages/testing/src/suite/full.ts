/** Whether tests run in full size, as `npm run nightly` has them; otherwise the dear ones take a sample. */
export const isFull: boolean = process.env['TEST_FULL'] !== undefined
