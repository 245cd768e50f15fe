/** Returns the features that every app has: none, and the inspector under the build condition `edgeway-development`. */
export declare const developmentFeatures: () => readonly object[]
