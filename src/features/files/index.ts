/** `edgeway/files`: the feature, its options and its types. */

export {
  type FileArgument,
  type FileArgumentOptions,
  type FileArguments,
  type FileContentOptions,
  type FileData,
  FileError,
  type FileErrorReason,
  type FileOptions,
  type FileUrlOptions,
  type PageOptions,
  type ReceivedFiles,
  type StoredFile,
  type TextPage,
  type UploadedFile,
  type UploadRequest,
  type UploadResult,
} from '../../server/file.ts'
export type { FilesOption, ToolContext } from '../../server/tool.ts'
export { file } from './arguments/file-argument.ts'
export { type Files, type FilesOptions, files } from './files.ts'
