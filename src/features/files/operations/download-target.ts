/** Where a client that declares `io.modelcontextprotocol/files` with `download` saves a file of a result. */
import type { Call } from '../../../dispatch/call.ts'
import { randomToken } from '../../../platform/random-token.ts'
import { FILES_EXTENSION, transfersFiles } from '../../../protocol/files-extension.ts'
import { FILES_PATH, sealDownload } from './file-seals.ts'
import type { FileRecord, LinkFields } from './stored-file.ts'

/** Empty for any other client. The URL works once, while the file exists. */
export async function downloadMeta(
  call: Call,
  { owner, id, name, mimeType, size, expiresAt }: FileRecord,
): Promise<Pick<LinkFields, '_meta'>> {
  const { uploads } = call.deployment.extensions
  if (uploads === undefined || !transfersFiles(call.client, 'download')) return {}
  const secret = await sealDownload(call, { owner, id, expiresAt, once: randomToken() })
  const target = {
    name,
    mimeType,
    size,
    url: `${call.request.origin()}${FILES_PATH}/${secret}`,
    credentials: 'omit',
    expiresAt: new Date(expiresAt).toISOString(),
  }
  return { _meta: { [FILES_EXTENSION]: { downloads: [target] } } }
}
