/** Several who ask at the same time share one answer: what takes long is not begun again while it runs. */
export function sharedWhileRunning<Answer>(make: () => Promise<Answer>): () => Promise<Answer> {
  let running: Promise<Answer> | undefined
  return () => {
    running ??= make().finally(() => {
      running = undefined
    })
    return running
  }
}
