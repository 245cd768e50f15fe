/** Reads the document of the view that is shown, and reads it again when it has changed. */
import { useEffect, useState } from 'preact/hooks'
import { readViewDocument, type ViewDocument } from '../../../view/src/host/view-document.ts'
import { reasonOf, sendRequest } from '../client/endpoint.ts'
import { Store, useStore } from '../store.ts'
import { onViewChange } from './view-changes.ts'

const reloads = new Store(0)

/** Reads the document of the shown view again. Another document replaces the frame, with arguments and result. */
export function reloadDocument(): void {
  reloads.set(reloads.value + 1)
}

/** The document; a sentence where hosts would show nothing. */
export function useDocument(uri: string, endpoint: string, isWanted: boolean) {
  const [document, setDocument] = useState<ViewDocument | string>()
  const count = useStore(reloads)
  useEffect(() => {
    if (!isWanted) return
    let isCurrent = true
    const show = (next: ViewDocument | string) => {
      const isSame = (before: unknown) => JSON.stringify(before) === JSON.stringify(next)
      if (isCurrent) setDocument((before) => (isSame(before) ? before : next))
    }
    sendRequest(endpoint, 'resources/read', { uri }).then(
      (result) => show(readViewDocument(uri, result)),
      (error: unknown) => show(`${uri} cannot be read: ${reasonOf(error)}`),
    )
    return () => {
      isCurrent = false
    }
  }, [uri, endpoint, isWanted, count])
  useEffect(() => {
    if (!isWanted) return
    return onViewChange((change) => {
      if (change.uri !== uri) return
      const { html } = change
      setDocument((before) =>
        typeof before === 'object' && before.html !== html ? { ...before, html } : before,
      )
    })
  }, [uri, isWanted])
  return document
}
