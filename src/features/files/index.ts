/** `edgeway/files`: the feature, its options and its types. */

export {
  type FileData,
  FileError,
  type FileErrorReason,
  type FileOptions,
  type FileUrlOptions,
  type PageOptions,
  type StoredFile,
  type TextPage,
  type UploadRequest,
  type UploadResult,
} from '../../server/file.ts'
export { type Files, files } from './files.ts'
