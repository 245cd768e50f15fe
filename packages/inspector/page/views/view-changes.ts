/** The views that were built anew while `edgeway dev` serves. Without it, there is none. */

interface ViewChange {
  readonly uri: string
  readonly html: string
}

/** @returns what ends it */
export function onViewChange(listener: (change: ViewChange) => void): () => void {
  const events = new EventSource('/inspect/view-changes')
  events.onmessage = ({ data }) => listener(JSON.parse(data) as ViewChange)
  return () => events.close()
}
