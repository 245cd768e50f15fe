/** The document port in the Worker: calls the shard that stores the document of a URL. */
import type { DocumentStore } from '../../src/ports/documents.ts'
import { callObject, type ObjectNamespace } from '../object-call.ts'
import { documentsName } from './object-names.ts'

export function createDocumentStore(
  namespace: ObjectNamespace<DocumentStore<string>>,
): DocumentStore {
  const call = async <T>(url: string, run: (shard: DocumentStore<string>) => Promise<T>) => {
    const name = await documentsName(url)
    return callObject(async () => run(namespace.getByName(name)))
  }
  return {
    async get(url) {
      const stored = await call(url, (shard) => shard.get(url))
      return stored && { ...stored, value: JSON.parse(stored.value) }
    },
    put: (url, { value, ...times }) =>
      call(url, (shard) => shard.put(url, { ...times, value: JSON.stringify(value) })),
    delete: (url) => call(url, (shard) => shard.delete(url)),
  }
}
