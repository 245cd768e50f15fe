/** Returns the features that every app has: none, or the inspector where `edgeway dev` bundles the app. */
export declare const developmentFeatures: () => readonly object[]
