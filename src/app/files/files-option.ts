/** The option `files`: files, texts in pages and uploads, and the routes of their URLs. */
import { createFileStore } from '../../../durable-objects/files/file-store.ts'
import { FILE_OPERATIONS } from '../../dispatch/files/file-operations.ts'
import { openDownload, openUpload } from '../../dispatch/files/file-seals.ts'
import { FILES_PATH, serveFile } from '../../transport/files/serve-file.ts'
import { serveUpload, UPLOADS_PATH, type UploadView } from '../../transport/files/serve-upload.ts'
import type { Route } from '../router.ts'
import { opensSecret, secretOf } from '../webhook-route.ts'
import type { FileRoutesOptions, FilesConfig } from './files-config.ts'
import { uploadPage } from './upload-page.ts'

/**
 * Files of handlers: `ctx.file`, `ctx.page` and `ctx.upload`. They are stored in the bucket `MCP_FILES`, or
 * without it in the objects of `MCP_STATE`. `limits` bounds them.
 */
export function files(): FilesConfig {
  return {
    type: 'files',
    operations: FILE_OPERATIONS,
    createStore: createFileStore,
    create: fileRoutes,
  }
}

function fileRoutes(options: FileRoutesOptions): readonly Route[] {
  const { servicesOf, audience, limits, serverName } = options
  const page = (view: UploadView) => uploadPage(view, serverName)
  const uploads = { page, audience, limits }
  return [
    {
      path: `${FILES_PATH}/:secret`,
      isOwn: opensSecret(options, openDownload),
      handle: (request, env) => serveFile(request, secretOf(request), servicesOf(env), audience),
    },
    {
      path: `${UPLOADS_PATH}/:secret`,
      isOwn: opensSecret(options, openUpload),
      handle: (request, env) => serveUpload(request, secretOf(request), servicesOf(env), uploads),
    },
  ]
}
