/** `edgeway/files`: the feature, its options and its types. */

export type {
  FileArgument,
  FileArgumentOptions,
  FileArguments,
  FileContentOptions,
  FileData,
  FileErrorReason,
  FileOptions,
  FileUrlOptions,
  PageOptions,
  ReceivedFiles,
  StoredFile,
  TextPage,
  UploadedFile,
  UploadRequest,
  UploadResult,
} from '../../server/file.ts'
export type { FilesOption, ToolContext } from '../../server/tool.ts'
export { file } from './arguments/file-argument.ts'
export { type Files, type FilesOptions, files } from './files.ts'
