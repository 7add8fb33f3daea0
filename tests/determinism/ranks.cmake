# How ranks are started on a machine that may be a container with fewer cores than ranks.
set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
set(ENV{OMPI_MCA_rmaps_base_oversubscribe} 1)
set(ENV{OMPI_MCA_btl_vader_single_copy_mechanism} none) # needs a permission containers lack
set(ENV{OMPI_MCA_mpi_yield_when_idle} 1)
set(ENV{OMP_WAIT_POLICY} passive)
