/** `files()`: files, texts in pages and uploads of handlers, and the routes of their URLs. */
import { createFileStore } from '../../../durable-objects/files/file-store.ts'
import type { FileBucket } from '../../../durable-objects/state/file-bucket.ts'
import type { StateObject } from '../../../durable-objects/state/state-object.ts'
import type { ContextMembers, OfferCapabilities } from '../../dispatch/extensions.ts'
import type { HandlerRun } from '../../dispatch/handler-run.ts'
import { bindingOf } from '../../feature/binding.ts'
import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'
import { resolveLimits } from '../../platform/limits.ts'
import { DEFAULT_FILE_LIMITS, type FileLimits } from '../../ports/file-limits.ts'
import type { ServerCapabilities } from '../../protocol/capabilities.ts'
import { FILES_EXTENSION } from '../../protocol/files-extension.ts'
import type { Definition } from '../../server/definition.ts'
import { asks } from '../asks/asks.ts'
import { opensSecret, secretOf } from '../asks/secret-routes.ts'
import { state } from '../state/state.ts'
import { fileView } from './arguments/argument-schema.ts'
import { uploads } from './arguments/sent-files.ts'
import { createFile } from './operations/create-file.ts'
import {
  FILES_PATH,
  isFileUri,
  openDownload,
  openUpload,
  UPLOADS_PATH,
} from './operations/file-seals.ts'
import { pageText } from './operations/page.ts'
import { readFile } from './operations/read-file.ts'
import { askForFile } from './operations/upload.ts'
import { serveFile } from './transport/serve-file.ts'
import { serveUpload, type UploadView } from './transport/serve-upload.ts'
import { visitorSubject } from './transport/visitor.ts'
import { uploadPage } from './upload-page.ts'

export interface FilesOptions extends Partial<FileLimits> {
  /**
   * Serves `io.modelcontextprotocol/files` to clients of 2026-07-28 that declare it: they send files of arguments and save
   * files of results outside of the messages. Its draft is not public, so it may change in any release. Default false.
   */
  readonly experimental?: boolean
}

export type Files = Feature<'files', object, 'files' | 'state' | 'asks'>

/**
 * Files of handlers: `ctx.file`, `ctx.page` and `ctx.upload`. They are stored in the bucket `MCP_FILES`, or
 * without it in objects.
 *
 * @throws {TypeError} for an invalid option
 */
export function files({ experimental = false, ...options }: FilesOptions = {}): Files {
  if (typeof experimental !== 'boolean') {
    throw new TypeError('files(): experimental must be true or false')
  }
  const limits = resolveLimits('files', DEFAULT_FILE_LIMITS, options)
  return createFeature('files', (app) => createParts(app, limits, experimental), [asks(), state()])
}

function createParts(app: AppContext, limits: FileLimits, experimental: boolean): FeatureParts {
  return {
    services: {
      files: (bindings) => {
        const objects = app.objectsIn(bindings).of<StateObject>('state')
        const bucket = bindingOf<FileBucket>(bindings, 'MCP_FILES')
        return objects && createFileStore(objects, bucket, limits)
      },
    },
    dispatch: {
      context: FILE_MEMBERS,
      capabilities: (definition) => ({
        ...(hasFiles(definition) && { resources: {} }),
        ...(experimental && transfersOf(definition)),
      }),
      ...(experimental && {
        tools: { viewOf: fileView },
        uploads,
        offer: offerTransfers,
      }),
      resources: {
        read: (definition, call, uri) =>
          isFileUri(uri) && hasFiles(definition) ? readFile(call, uri) : undefined,
      },
    },
    routes: () => {
      const { audience, info, servicesOf } = app
      const serverName = info.title ?? info.name
      const page = (view: UploadView) => uploadPage(view, serverName)
      return [
        {
          path: `${FILES_PATH}/:secret`,
          isOwn: opensSecret(app, openDownload),
          handle: (request, env) =>
            serveFile(request, secretOf(request), servicesOf(env), audience),
        },
        {
          path: `${UPLOADS_PATH}/:secret`,
          isOwn: opensSecret(app, openUpload),
          handle: (request, env, ctx) =>
            serveUpload(request, secretOf(request), servicesOf(env), {
              page,
              audience,
              visitor: ({ path }) => visitorSubject(app, path, request, env, ctx),
            }),
        },
      ]
    },
  }
}

/** The extension with the ways in which the tools of a definition transfer files. */
function transfersOf(definition: Definition): ServerCapabilities {
  const takesFiles = [...definition.tools.values()].some(({ fileArguments }) => fileArguments)
  const returnsFiles = hasFiles(definition)
  if (!takesFiles && !returnsFiles) return {}
  const ways = { ...(takesFiles && { upload: {} }), ...(returnsFiles && { download: {} }) }
  return { extensions: { [FILES_EXTENSION]: ways } }
}

/** Clients of earlier revisions do not send files. */
const offerTransfers: OfferCapabilities = (capabilities, { client }) => {
  if (client.era === 'modern') return capabilities
  const { [FILES_EXTENSION]: _, ...extensions } = capabilities.extensions ?? {}
  return { ...capabilities, extensions }
}

/** Whether a tool returns files, which clients read as resources. */
function hasFiles({ tools }: Pick<Definition, 'tools'>): boolean {
  return [...tools.values()].some(({ files }) => files)
}

/** The files that a run has received. */
const createReceived = () => ({})

/** Numbers the uploads of a run, so that each has a key. */
const uploadsOf = (run: HandlerRun) => run.part(createCounter)
const createCounter = () => ({ count: 0 })

const FILE_MEMBERS: ContextMembers = {
  file: (run) => async (name, data, options) => {
    if (!run.options.files) {
      throw new TypeError('ctx.file needs files: true in the config of its tool')
    }
    return createFile(run, name, data, options)
  },
  files: (run) => run.part(createReceived),
  page: (run) => async (text, options) => pageText(run, text, options),
  upload: (run) => async (request) => {
    const uploads = uploadsOf(run)
    uploads.count += 1
    const key = request.key ?? `upload-${uploads.count}`
    return askForFile(run, { ...request, key })
  },
}
