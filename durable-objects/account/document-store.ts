/** The document store in the Worker: spread over objects by URL. */
import type { DocumentStore } from '../../src/ports/documents.ts'
import { callObject } from '../object-call.ts'
import type { AccountRpc } from './account-rpc.ts'
import { digestOfText } from './digest.ts'
import { shardOf } from './shard.ts'

/** As much of a `DurableObjectNamespace<McpAccount>` as documents need. */
export interface DocumentNamespace {
  getByName(name: string): Pick<AccountRpc, 'document' | 'putDocument' | 'deleteDocument'>
}

export function createDocumentStore(namespace: DocumentNamespace): DocumentStore {
  const call = async <T>(
    url: string,
    run: (shard: ReturnType<DocumentNamespace['getByName']>) => Promise<T>,
  ): Promise<T> => {
    const name = shardOf('documents', await digestOfText(url))
    return callObject(async () => run(namespace.getByName(name)))
  }
  return {
    async get(url) {
      const stored = await call(url, (shard) => shard.document(url))
      return stored && { ...stored, value: JSON.parse(stored.value) }
    },
    put: (url, { value, ...times }) =>
      call(url, (shard) => shard.putDocument(url, { ...times, value: JSON.stringify(value) })),
    delete: (url) => call(url, (shard) => shard.deleteDocument(url)),
  }
}
