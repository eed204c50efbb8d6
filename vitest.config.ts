import { suite } from './test/support/suite.ts';

export default suite({ all: false });
